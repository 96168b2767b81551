"""What every experiment uses: cells, tables, pages, charts, claims and provenance."""
