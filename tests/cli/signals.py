"""Programs that send themselves the signal of Ctrl+C at an exact moment of their work."""

import os
import signal
import subprocess
import sys

HOOK = """
import os, signal, sys

nth, begun, place = int(os.environ["NTH"]), False, os.environ["COUNT"]
count = 0

def send_at_nth_import(event, words):
    global begun, count
    if event != "import":
        return
    begun = begun or words[0] == "coterie.cli.starting"
    if not begun:
        return
    count += 1
    if count == nth:
        os.kill(os.getpid(), signal.SIGINT)

sys.addaudithook(send_at_nth_import)
if place:
    import atexit
    atexit.register(lambda: open(place, "w").write(str(count)))
"""
"""A module that Python loads first: it sends the signal at the nth import of the command line."""


def run_with_stop(folder, words, nth, count=""):
    """Run `coterie` such that it is stopped at its nth import; 0 means never."""
    (folder / "sitecustomize.py").write_text(HOOK, encoding="utf-8")
    path = os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.run(  # noqa: S603
        [sys.executable, "-m", "coterie", *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env={**os.environ, "PYTHONPATH": path, "NTH": str(nth), "COUNT": str(count)},
        # A parent that is deaf to the signal would pass that on.
        preexec_fn=None
        if sys.platform == "win32"
        else lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
