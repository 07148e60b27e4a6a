"""Facts about the session's surroundings , told to the model when they change."""
