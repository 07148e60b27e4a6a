"""What the product says when it starts."""

from __future__ import annotations

from pathlib import Path

from dsh_tui.engine.product import Product, StartOptions


async def test_rules_in_the_settings_are_said_to_have_no_effect(tmp_path: Path) -> None:
    (tmp_path / "settings.yaml").write_text("permissions: {deny: ['bash(rm *)']}\n")
    environ = {"DSH_TUI_HOME": str(tmp_path), "DSH_HOME": str(tmp_path / "none")}
    product = await Product.start(StartOptions(cwd=tmp_path, environ=environ))
    try:
        (notice,) = product.notices
    finally:
        await product.dispose()
    assert notice.startswith(f"{tmp_path}/settings.yaml: permissions have no effect yet")
