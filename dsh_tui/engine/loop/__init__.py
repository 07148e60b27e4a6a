"""The agent loop: prompts in, model requests and tool calls out, everything in the log.

Job: the one concrete loop behind `AGENTS`. Read `driver`, `turn` and `step` in this order.
Only bundles import it; everybody else programs against `engine.agent`. Events: dispatches all of
``agent/*``. Left out on purpose: retries, compaction, step limits and flush policy, which are
plugins on the loop's seams.

Source: core spec §8.
"""
