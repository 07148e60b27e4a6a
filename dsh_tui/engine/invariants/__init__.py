"""Invariants: companions that watch the rest of the engine keep its own rules.

Job: say at once, and name the owner, when a log or a dispatch breaks a rule that all code relies on.
Log checks see each event before it is committed, and run over stored logs for `sessions verify`; live
checks see each dispatch before its listeners. Service key: `INVARIANTS`; a plugin may add its own.
On in tests, and in the program with ``--invariants``. Who may import it: bundles, front ends, tests.

Source: core spec §9.
"""
