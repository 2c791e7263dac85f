"""Numbers, places, times and units read from text: pure functions that tools, skills and the check share."""
