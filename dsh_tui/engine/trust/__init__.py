"""Trust: which files of a project may take effect, pinned to the content that a person has seen.

A project is exactly the directory that a session works in. What it brings (plugins, rules, instructions)
is read once into a `Manifest`; what is digested there is what is used. Service key: `service.TRUST`.
Source: design §3.14.
"""
