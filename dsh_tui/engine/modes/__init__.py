"""Modes: how much an agent may do without being asked, from ``ask`` to ``full``.

Service key: `modes.MODES`, published by the approval plugin, whose policy says what each mode makes of
a call. Plugin: `notice` tells the model. Logs: ``permission/mode``. Below whoever decides on calls:
approval, the sandbox and plan mode all look here, and it knows none of them.
Source: capabilities F; design §3.16.
"""
