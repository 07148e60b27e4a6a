"""Whether any model can be asked, and what a person gives so that one can be: a key, or a server.

Source: design §3.21 (no key).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from dsh_tui.engine.credentials.store import CredentialError
from dsh_tui.engine.product import PROVIDER, Product


class ModelAccess:
    """Implements `AccessPort`. ``granted`` is called once something was given."""

    def __init__(
        self, product: Product, *, notify: Callable[[str, str], None], granted: Callable[[], Awaitable[None]]
    ) -> None:
        self._product, self._notify, self._granted = product, notify, granted
        self.needs_key = self._ask()

    async def save_key(self, key: str) -> None:
        """Keep it, and use it from now on.

        Raises:
            CredentialError: it could not be kept.
        """
        self._product.credentials.save(PROVIDER, key)
        found = self._product.credentials.resolve(PROVIDER)
        used = found is None or found.value == key.strip()
        await self._given("" if used else "DEEPSEEK_API_KEY in the environment wins over it")

    async def save_base_url(self, url: str) -> None:
        """Keep the address of another server, and go there from now on.

        Raises:
            SettingsError: it could not be kept.
        """
        await self._product.use_base_url(url)
        used = self._product.base_url == url.strip()
        await self._given("" if used else "DEEPSEEK_BASE_URL in the environment wins over it")

    async def _given(self, but: str) -> None:
        self._notify(f"Saved, but {but}" if but else "Saved. Ask away", "warning" if but else "ok")
        self.needs_key = self._ask()
        await self._granted()

    def _ask(self) -> bool:
        try:
            return self._product.needs_key()
        except CredentialError as error:
            self._notify(error.message, "error")
            return True
