"""Files: read, change and search them without ever losing or guessing anything.

Job: the `FileSystem` seam (service key `FS`), its local provider, and the tools ``read``,
``write``, ``edit``, ``glob`` and ``grep``. Events: ``fs/write-intent``, ``fs/edit-intent``
(waterfalls) and ``fs/observed``; the rule "read before you change" is a plugin of its own on
them (`observation`). Left out on purpose: permission (see ``approval``) and confinement.

Source: capabilities B3; design §3.12.
"""
