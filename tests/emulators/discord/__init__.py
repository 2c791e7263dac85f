"""What Discord accepts and shows."""
