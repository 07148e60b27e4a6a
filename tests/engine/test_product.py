"""What the product does with the user's settings when it starts, and while it runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from dsh_tui.engine.permissions.book import ScopedRule
from dsh_tui.engine.permissions.rule import Rule
from dsh_tui.engine.product import Product, StartOptions
from dsh_tui.engine.session.store import SESSIONS
from dsh_tui.engine.settings.loader import SettingsError

DENY_RM = Rule.parse("deny bash(rm *)")
ALLOW_LOG = Rule.parse("allow bash(git log *)")


def options(home: Path) -> StartOptions:
    return StartOptions(cwd=home, environ={"DSH_TUI_HOME": str(home), "DSH_HOME": str(home / "none")})


async def test_the_users_rules_are_in_force_and_follow_the_file(tmp_path: Path) -> None:
    settings = tmp_path / "settings.yaml"
    settings.write_text("permissions: {deny: ['bash(rm *)']}\n")
    product = await Product.start(options(tmp_path))
    try:
        session = product.engine.root[SESSIONS].create(meta={"cwd": str(tmp_path)})
        assert product.notices == []
        assert product.permissions.rules(session) == (ScopedRule(DENY_RM, "user"),)
        settings.write_text("permissions: {allow: ['bash(git log *)']}\n")
        assert await product.reload_settings()
        assert product.permissions.rules(session) == (ScopedRule(ALLOW_LOG, "user"),)
        settings.write_text("permissions: {allow: ['bash(git log *']}\n")
        assert await product.reload_settings()
        assert product.permissions.rules(session) == (ScopedRule(ALLOW_LOG, "user"),)
        assert product.settings_file.fault.startswith(f"{settings}:1: permissions.allow.0: ")
    finally:
        await product.dispose()


async def test_a_rule_that_is_none_is_refused_with_its_line(tmp_path: Path) -> None:
    settings = tmp_path / "settings.yaml"
    settings.write_text("permissions:\n  deny:\n    - bash(rm *)\n    - bash(rm\n")
    with pytest.raises(SettingsError) as caught:
        await Product.start(options(tmp_path))
    assert caught.value.line == 4
