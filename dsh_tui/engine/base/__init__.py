"""Words that every other part of the engine uses; imports nothing of ours."""
