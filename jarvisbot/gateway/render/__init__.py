"""CommonMark to what each platform shows."""
