"""What the doctor says, and what it keeps to itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from dsh_tui.engine.frontends.doctor import examine


def test_a_password_in_the_servers_address_is_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DSH_TUI_HOME", str(tmp_path))
    monkeypatch.setenv("DEEPSEEK_API_KEY", "sk-0123456789abcdef")
    monkeypatch.setenv("DEEPSEEK_BASE_URL", "https://me:hunter2@models.example/v1")
    details = {finding.name: finding.detail for finding in examine()}
    assert details["server"] == "DEEPSEEK_BASE_URL is set: https://…@models.example/v1"
    assert not any("hunter2" in detail or "sk-0123" in detail for detail in details.values())
