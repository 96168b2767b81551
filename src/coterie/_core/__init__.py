"""The lowest layer: helpers for arguments, arrays, files, progress and texts of any program."""
