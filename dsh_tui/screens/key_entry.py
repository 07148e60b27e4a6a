"""Entering a key, masked, and the address of a local server. What is typed never reaches a log."""

from __future__ import annotations

from dsh_tui.screens.line_entry import LineEntry, Save
from dsh_tui.screens.ports import AccessPort


def key_entry(port: AccessPort) -> LineEntry:
    """Asks for the DeepSeek key."""
    return LineEntry(
        "DeepSeek API key",
        "From platform.deepseek.com. It is kept in your own credential file and goes nowhere but to "
        "the service. DEEPSEEK_API_KEY in the environment wins over it.",
        port.save_key,
        placeholder="sk-…",
        masked=True,
    )


def server_entry(port: AccessPort) -> LineEntry:
    """Asks for the base URL of an OpenAI-compatible server."""
    return LineEntry(
        "Local server",
        "The base URL of a server that speaks the OpenAI protocol, such as llama.cpp, vLLM or Ollama.",
        _checked(port),
        placeholder="http://127.0.0.1:8080/v1",
    )


class NotAnAddress(ValueError):
    """What was typed is no http address."""


def _checked(port: AccessPort) -> Save:
    async def save(url: str) -> None:
        if not url.startswith(("http://", "https://")):
            raise NotAnAddress("An address starts with http:// or https://")
        await port.save_base_url(url)

    return save
