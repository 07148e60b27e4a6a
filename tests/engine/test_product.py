"""What the product does with the user's settings when it starts, and while it runs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from dsh_tui.engine.credentials.store import CredentialError
from dsh_tui.engine.llm.prices import Price
from dsh_tui.engine.permissions.book import ScopedRule
from dsh_tui.engine.permissions.facts import CallFacts
from dsh_tui.engine.permissions.rule import Rule
from dsh_tui.engine.product import Product, StartOptions
from dsh_tui.engine.session.store import SESSIONS
from dsh_tui.engine.settings.loader import SettingsError
from tests.fakes.odd_files import ODD_FILES

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


MONDAY_NIGHT = 1_795_978_800_000
"""2026-11-30 03:00 in Beijing, off peak."""


async def test_prices_of_the_settings_come_before_those_that_the_provider_publishes(tmp_path: Path) -> None:
    product = await Product.start(options(tmp_path))
    try:
        published = product.price_of("deepseek", "deepseek-flash", MONDAY_NIGHT)
        assert published is not None
        assert (published.currency, published.output) == ("USD", 0.60)
        assert product.price_of("deepseek", "my-finetune", MONDAY_NIGHT) is None
        assert product.price_of("house", "deepseek-flash", MONDAY_NIGHT) is None
        (tmp_path / "settings.yaml").write_text(
            "providers:\n"
            "  deepseek:\n"
            "    currency: CNY\n"
            "    prices:\n"
            "      my-finetune: {input: 2, output: 8}\n"
            "      deepseek/deepseek-v4-pro: {input: 1, cached: 0, output: 0}\n"
        )
        assert await product.reload_settings()
        named = product.price_of("deepseek", "deepseek-v4-pro", MONDAY_NIGHT)
        assert named == Price(currency="CNY", input=1, cached=0, output=0)
        own = product.price_of("deepseek", "my-finetune", MONDAY_NIGHT)
        assert own == Price(currency="CNY", input=2, cached=2, output=8)
        published = product.price_of("deepseek", "deepseek-flash", MONDAY_NIGHT)
        assert published is not None
        assert (published.currency, published.output) == ("CNY", 4.0)
    finally:
        await product.dispose()


@pytest.mark.parametrize("url", ["https://api.deepseek.com/v1", "https://API.deepseek.com/beta/"])
async def test_every_path_of_the_service_wants_a_key_and_has_its_prices(tmp_path: Path, url: str) -> None:
    (tmp_path / "settings.yaml").write_text(f"providers: {{deepseek: {{base_url: '{url}'}}}}\n")
    product = await Product.start(options(tmp_path))
    try:
        assert product.needs_key()
        assert product.price_of("deepseek", "deepseek-flash", MONDAY_NIGHT) is not None
    finally:
        await product.dispose()


async def test_another_server_does_not_charge_what_the_provider_publishes(tmp_path: Path) -> None:
    (tmp_path / "settings.yaml").write_text(
        "providers: {deepseek: {base_url: 'https://api.deepseek.com.example.org'}}\n"
    )
    product = await Product.start(options(tmp_path))
    try:
        assert product.price_of("deepseek", "deepseek-flash", MONDAY_NIGHT) is None
    finally:
        await product.dispose()


@pytest.mark.parametrize(
    ("price", "words"),
    [
        ("{input: -1, output: 2}", "greater than or equal to 0"),
        ("{input: .inf, output: 2}", "finite"),
        ("{input: 1.0e+300, output: 2}", "less than or equal to 1000000000"),
        ("{input: 1}", "required"),
        ("{input: 1, output: 2, cache: 1}", "did you mean `cached`"),
    ],
)
async def test_a_price_that_is_none_is_refused_with_its_line(tmp_path: Path, price: str, words: str) -> None:
    (tmp_path / "settings.yaml").write_text(
        f"providers:\n  deepseek:\n    prices:\n      my-finetune: {price}\n"
    )
    with pytest.raises(SettingsError, match=words) as caught:
        await Product.start(options(tmp_path))
    assert caught.value.line == 4


async def test_a_currency_is_three_letters(tmp_path: Path) -> None:
    (tmp_path / "settings.yaml").write_text("providers: {deepseek: {currency: dollars}}\n")
    with pytest.raises(SettingsError, match="currency: must be three capital letters, such as USD"):
        await Product.start(options(tmp_path))


async def test_a_start_on_a_broken_file_keeps_what_was_denied(tmp_path: Path) -> None:
    settings = tmp_path / "settings.yaml"
    settings.write_text("permissions: {deny: ['bash(rm *)']}\n")
    await (await Product.start(options(tmp_path))).dispose()
    settings.write_text("permissions: {deny: ['bash(rm *']\n")
    product = await Product.start(replace(options(tmp_path), broken_settings_are_fatal=False))
    try:
        session = product.engine.root[SESSIONS].create(meta={"cwd": str(tmp_path)})
        assert product.permissions.rules(session) == (ScopedRule(DENY_RM, "user"),)
        assert product.permissions.unread(session) == ()
        (notice,) = product.notices
        assert notice.startswith("Your last good settings (")
        settings.write_text("permissions: {deny: ['bash(git log *)']}\n")
        assert await product.reload_settings()
        assert (tmp_path / "settings.last-good.yaml").read_bytes() == settings.read_bytes()
    finally:
        await product.dispose()


async def test_where_nobody_can_tell_what_is_denied_every_call_asks_in_every_mode(tmp_path: Path) -> None:
    (tmp_path / "settings.yaml").symlink_to("/dev/zero")
    product = await Product.start(replace(options(tmp_path), broken_settings_are_fatal=False, mode="full"))
    try:
        session = product.engine.root[SESSIONS].create(meta={"cwd": str(tmp_path)})
        facts = CallFacts(tool="bash", kind="execute", arguments={"command": "ls"}, cwd=tmp_path)
        judged = product.permissions.judge_facts(session, facts)
        assert (judged.verdict.decision, judged.scope) == ("ask", "user")
        assert [one.scope for one in product.permissions.unread(session)] == ["user"]
        (notice,) = product.notices
        assert "every call asks until this is mended: " in notice
        assert "is a link to /dev/zero, a device and not a file" in notice
    finally:
        await product.dispose()


async def test_instructions_that_can_not_be_read_are_told_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").mkdir()
    product = await Product.start(options(tmp_path))
    await product.dispose()
    (notice,) = product.notices
    assert notice.startswith(f"{tmp_path}/AGENTS.md: is a directory, not a file; ")


@pytest.mark.parametrize("kind", ODD_FILES)
async def test_credentials_that_are_no_file_stop_no_start(tmp_path: Path, kind: str) -> None:
    ODD_FILES[kind](tmp_path / "credentials.yaml")
    product = await Product.start(options(tmp_path))
    try:
        with pytest.raises(CredentialError):
            product.needs_key()
    finally:
        await product.dispose()
