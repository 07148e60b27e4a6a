"""What an empty chat shows: where one is, and the three things worth knowing."""

from __future__ import annotations

from textual.app import RenderResult
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from dsh_tui.engine.projection.mode_names import DEFAULT_MODE
from dsh_tui.widgets import mode_look
from dsh_tui.widgets.columns import cut
from dsh_tui.widgets.visible_text import one_line

_HINTS = (
    ("enter", "sends", "ctrl+j", "new line"),
    ("/", "commands", "@", "a file"),
    ("esc", "stops the turn", "?", "all keys"),
)


class Launchpad(Widget, can_focus=False):
    """Stands where the transcript will be."""

    DEFAULT_CSS = """
    Launchpad { height: 1fr; padding: 1 4; color: $foreground; &.-hidden { display: none; } }
    """

    folder: reactive[str] = reactive("")
    version: reactive[str] = reactive("")
    mode: reactive[str] = reactive(DEFAULT_MODE)

    def render(self) -> RenderResult:
        width, height = self.content_size
        lines = [
            Content.assemble(("dsh-tui", "bold $accent"), (f"  {self.version}", "$dim")),
            Content.styled(cut(one_line(self.folder), width), "$dim"),
            Content(""),
            Content("Ask about this project, or say what to change."),
            Content.styled(mode_look.promise(self.mode), "$dim"),
            Content(""),
        ]
        for one, does, two, does_too in _HINTS:
            lines.append(
                Content.assemble(
                    (f"{one:<8}", "$accent"),
                    (f"{does:<18}", "$dim"),
                    (f"{two:<8}", "$accent"),
                    (does_too, "$dim"),
                )
            )
        lines += [
            Content(""),
            Content.assemble(("ctrl+x l", "$accent"), ("  continue an earlier session", "$dim")),
        ]
        if len(lines) > height:
            lines = lines[3:4] if height < 6 else lines[:height]
        lines = [line.truncate(width, ellipsis=True) for line in lines]
        return Content("\n").join([Content("")] * max(0, height - len(lines)) + lines)
