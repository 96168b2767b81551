"""The parts that all experiments share: cells, tables, pages, charts, claims and provenance."""
