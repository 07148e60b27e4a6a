"""Sessions as JSON lines, one file each, readable with grep and jq."""
