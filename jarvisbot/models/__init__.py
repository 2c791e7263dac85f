"""Model backends, one a file, found by name."""
