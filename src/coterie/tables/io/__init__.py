"""Tables in files and data frames: formats, reading and writing."""
