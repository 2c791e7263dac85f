"""What a homeserver and its clients accept."""
