"""The one SQLite file."""
