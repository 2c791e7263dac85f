"""Slash commands, one a file, found by name."""
