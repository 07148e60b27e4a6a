"""The approval seam: which calls run by themselves, which ask, and who answers.

Service keys: `service.APPROVAL`, `modes.MODES`. A front end mounts one answerer (usually an
`desk.ApprovalDesk`); the engine owns the pending request, so a screen that goes away decides
nothing. Listens: ``tools/pre-execute``, ``tools/ask``. Logs: ``approval/asked``,
``approval/decided``, ``permission/mode``. Left out on purpose: rules that allow for longer than
once, which are a plugin of their own. Source: core spec §6 (Ask); capabilities F; design §3.16.
"""
