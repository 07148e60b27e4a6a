"""What becomes of a save in the plugin folder, told to the person in one line.

Source: design §3.20 (the error is shown with file and line).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from dsh_tui.engine.plugin_folder.folder import PluginRecord
from dsh_tui.engine.plugin_folder.projects import CHANGED

Notify = Callable[[str, str], None]


class PluginNews:
    """Listens to ``plugins/change``; says each outcome once."""

    def __init__(self, standing: Iterable[PluginRecord], notify: Notify) -> None:
        """What is ``standing`` already is not news."""
        self._notify = notify
        self._told = {record.path: record for record in standing}

    def __call__(self, record: PluginRecord) -> None:
        if record.state == "gone":
            self._told.pop(record.path, None)
            self._notify(f"Plugin {record.name} is gone", "info")
        elif record.error.endswith(CHANGED):
            return  # told with all else of its project that has changed
        elif record.state != "loading" and self._told.get(record.path) != record:
            self._told[record.path] = record
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
