"""An example plugin: a tool, a piece of the system prompt, and a veto, in one file.

Copy it to ``~/.dsh-tui/plugins/word_count.py``; it is live as soon as it is saved.
The guide to it is docs/plugin-guide.md.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field

from dsh_tui.engine.fs.workspace import is_inside
from dsh_tui.engine.system_prompt.assembly import SYSTEM_PROMPT
from dsh_tui.engine.system_prompt.section import TOOL_GUIDANCE, Section
from dsh_tui.engine.tools.decisions import Deny, PreDecision
from dsh_tui.engine.tools.definition import AnyTool, ToolCall, ToolDefinition, ToolOutput
from dsh_tui.engine.tools.errors import ToolError
from dsh_tui.engine.tools.events import PRE_EXECUTE
from dsh_tui.engine.tools.registry import TOOLS

if TYPE_CHECKING:
    from dsh_tui.engine.kernel import Context, Next

name = "word-count"
inject = (TOOLS, SYSTEM_PROMPT)


class Config(BaseModel):
    """The plugin's part of settings.yaml, under ``plugins: word_count:``."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    words_per_minute: int = Field(default=200, gt=0, description="How fast the reader reads.")


class WordCountArgs(BaseModel):
    """Arguments of `word_count`, as the model sends them."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    file_path: str = Field(description="Absolute, or relative to the session's directory.")


def apply(ctx: Context, config: Config) -> None:
    """Everything registered here goes when the plugin is saved again, removed, or the app ends."""

    async def count(args: WordCountArgs, call: ToolCall) -> ToolOutput:
        text = await asyncio.to_thread(read_text, call.cwd / args.file_path)
        words = len(text.split())
        minutes = words / config.words_per_minute
        return ToolOutput(f"{words} words, {minutes:.1f} minutes to read", meta={"words": words})

    async def veto(call: ToolCall, _tool: AnyTool, following: Next[PreDecision]) -> PreDecision:
        if call.name == "bash" and "wc -w" in call.args["command"]:
            return Deny("Counting words in the shell is off here. Call `word_count` instead.")
        return await following()

    tool = ToolDefinition(
        name="word_count",
        description="Count the words of one text file. Prefer it to `wc -w`.",
        parameters=WordCountArgs,
        execute=count,
        kind="read",
        changes=False,
        inside_workspace=lambda args, call: is_inside(call.cwd, args.file_path),
    )
    ctx[TOOLS].register(ctx, tool)
    text = "Where length matters, measure it with `word_count`; never estimate it."
    ctx[SYSTEM_PROMPT].section(ctx, Section("word-count", TOOL_GUIDANCE + 1, text))
    ctx.on(PRE_EXECUTE, veto)


def read_text(path: Path) -> str:
    """The file's text. What goes wrong is said to the model, in words that help it."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ToolError(f"{path.name} does not exist. Look for it with `glob`.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ToolError(f"{path.name} can't be read as text: {error}") from error
