"""The approval seam: which calls run by themselves, which ask, and who answers.

Service keys: `service.APPROVAL`, `modes.MODES`. A front end mounts one answerer (usually an
`desk.ApprovalDesk`); the engine owns the pending request, so a screen that goes away decides
nothing. Listens: ``tools/pre-execute``, ``tools/ask``. Logs: ``approval/asked``,
``approval/decided``, ``permission/decided``, ``permission/mode``. Left out on purpose: what rules
are and where they stand, see `permissions`. Source: core spec §6 (Ask); capabilities F; design §3.16.
"""
