"""Writing of files, atomically."""
