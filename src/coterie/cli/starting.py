"""The start of the program: from its first line on, a stop by the user is not an error.

The module loads nothing by itself: before `main` runs, Python answers Ctrl+C with a traceback.
"""


def main() -> None:
    """Run the command line; however it ends, it prints at most one line of text about that."""
    try:
        from coterie.cli import interrupts

        interrupts.exit_at_once_when_stopped()
        from coterie.cli.streams import open_missing_streams

        open_missing_streams()
        from coterie.cli.application import app
        from coterie.cli.compiling import noting_compilation
        from coterie.cli.shown import noting_logs

        try:
            interrupts.raise_when_stopped()
            with noting_logs(), noting_compilation():
                app()
        finally:
            interrupts.exit_at_once_when_stopped()
    except KeyboardInterrupt:
        from coterie.cli import interrupts

        interrupts.exit_at_once()
