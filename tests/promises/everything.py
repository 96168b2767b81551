"""Run every command on tables in a folder; end with code 9 at the first use of the network.

The first argument is the folder. It has train.csv, with true clusters in the column who, and
new.csv. Prints the exit code of each command.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

NETWORK = ("socket.connect", "socket.bind", "socket.getaddrinfo", "socket.sendto", "urllib.Request")


def stop_at_network(event: str, arguments: object) -> None:
    """End the process where anything opens a connection or looks up a host."""
    if event in NETWORK:
        os.write(2, f"the network was used: {event} {arguments}\n".encode())
        os._exit(9)


def commands() -> Iterator[tuple[str, ...]]:
    """Return all commands, in an order in which each can read what earlier ones wrote."""
    yield "init", "train.csv", "--cluster", "who", "-o", "schema.toml"
    yield "plan", "train.csv", "--cluster", "who"
    yield "fit", "train.csv", "--schema", "schema.toml", "--learner", "logistic", "-o", "m.coterie"
    yield "predict", "m.coterie", "new.csv", "-o", "out.csv"
    yield "evaluate", "m.coterie", "train.csv", "--json"
    yield "explain", "m.coterie", "new.csv", "r000", "r001", "--json"
    yield "clusters", "m.coterie", "new.csv", "--json"
    yield "report", "m.coterie", "train.csv", "-o", "report.html"
    yield "plan", "new.csv", "--model", "m.coterie"


def main() -> None:
    """Run all commands in one process."""
    sys.addaudithook(stop_at_network)
    from coterie.cli import app

    os.chdir(Path(sys.argv[1]))
    for words in commands():
        try:
            app(words)
        except SystemExit as stop:
            sys.stderr.write(f"{words[0]} {stop.code or 0}\n")


if __name__ == "__main__":
    main()
