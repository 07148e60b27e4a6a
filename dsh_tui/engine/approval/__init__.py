"""The approval seam: which calls run by themselves, which ask, and who answers.

Service key: `service.APPROVAL`; the plugin publishes `modes.MODES` too. A front end mounts one answerer
(usually an `desk.ApprovalDesk`); the engine owns the pending request, so a screen that goes away
decides nothing. Listens: ``tools/pre-execute``, ``tools/ask``. Logs: ``approval/asked``,
``approval/decided``, ``permission/decided``. Left out on purpose: what modes and rules are and where
they stand, see `modes` and `permissions`. Source: core spec §6 (Ask); capabilities F; design §3.16.
"""
