"""What becomes of a save in the plugin folder, told to the person in one line.

Source: design §3.20 (the error is shown with file and line).
"""

from __future__ import annotations

from collections.abc import Callable

from dsh_tui.engine.plugin_folder.folder import PluginFolder, PluginRecord

Notify = Callable[[str, str], None]


class PluginNews:
    """Listens to ``plugins/change``; says each outcome once."""

    def __init__(self, folder: PluginFolder, notify: Notify) -> None:
        """What stands already is not news."""
        self._folder = folder
        self._notify = notify
        self._told = {record.name: record for record in folder.records()}

    def __call__(self, record: PluginRecord) -> None:
        if all(one.name != record.name for one in self._folder.records()):
            self._told.pop(record.name, None)
            self._notify(f"Plugin {record.name} is gone", "info")
        elif record.state != "loading" and self._told.get(record.name) != record:
            self._told[record.name] = record
            self._notify(*_words(record))


def _words(record: PluginRecord) -> tuple[str, str]:
    name = record.path.name
    if not record.error:
        again = f", reload {record.reloads}" if record.reloads else ""
        return f"Plugin {record.name} is live{again}", "ok"
    error = record.error.replace(str(record.path), name)  # the folder is known, the line is not
    if record.state == "active":
        return f"{error} · the version before it still runs", "error"
    return error if error.startswith(name) else f"{name}: {error}", "error"
