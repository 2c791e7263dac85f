"""Who may talk, and which tool call may run."""
