"""What `jarvisbot doctor` looks at, one thing a file; jarvisbot/check.py is the seam."""
