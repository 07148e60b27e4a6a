"""The tool seam: definitions, the registry, and the pipeline every call goes through."""
