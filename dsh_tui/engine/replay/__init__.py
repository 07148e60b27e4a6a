"""Replay: a recorded log is a fixture. The model's side is read from it, everything else is real.

Mounts on ``llm/stream`` and answers each request with the stream that the recording holds for it, so
that a loop with real tools runs without key or network. A run that goes another way than the
recording is told at the first difference. Providers stay mounted; none of them is asked.
"""
