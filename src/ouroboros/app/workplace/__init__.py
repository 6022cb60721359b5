"""What a face shows of a session's folder: files, what was changed in them, what was kept besides."""
