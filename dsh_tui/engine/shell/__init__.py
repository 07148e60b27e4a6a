"""The shell: commands of the agent, each in a fresh bash, none outliving its owner.

Job: the executor seam (service key `BASH`), its local provider, background jobs (service key
`SHELL_JOBS`), and the tools ``bash``, ``bash_output`` and ``bash_kill``. Event:
``shell/progress`` (the latest line of a running command, never logged). Left out on purpose:
permission (see ``approval``), confinement, and terminals.

Source: capabilities B2; design §3.13.
"""
