"""The sandbox: commands that the kernel keeps inside their folder, and the same limits for file tools.

Service key: `service.SANDBOX`. A session in mode ``sandbox`` works under a policy; `bubblewrap` or
Landlock confines its commands, `bounds.Bounds` holds the tools of this process to the same. A call
may ask to leave once (``sandbox_permissions``); a person decides. Fails closed: what can't be
confined does not run. Left out on purpose: the network and what may be read, which stay open.
Source: capabilities B4; design §3.16.
"""
