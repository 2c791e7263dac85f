"""Tools, one a file, found by name."""
