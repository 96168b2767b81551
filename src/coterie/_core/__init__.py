"""The lowest layer: arguments, arrays, files, progress and texts, without ideas of the field."""
