"""Between the platforms and the agent: what comes in is queued, what goes out is delivered once."""
