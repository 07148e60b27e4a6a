"""Standing instructions: AGENTS.md files of the user and of trusted projects, in front of every session."""
