"""Run the command line by `python -m coterie`."""

from coterie.cli import main

main()
