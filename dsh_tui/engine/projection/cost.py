"""An estimated cost, as people read it.

Source: ux spec §1b; screens spec (numbers carry units, nothing pretends).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_SIGNS: Final = {"USD": "$", "CNY": "¥", "EUR": "€", "GBP": "£"}
_LEAST: Final = 0.0001


@dataclass(frozen=True, slots=True)
class CostView:
    """Sums by currency (ISO 4217), and the models (``PROVIDER/MODEL``) whose price nobody knows."""

    amounts: tuple[tuple[str, float], ...] = ()
    unpriced: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """``≈$0.012``; ``≥`` if something is not in it; empty where no price is known."""
        if not self.amounts:
            return ""
        if len(self.amounts) == 1 and not self.unpriced:
            alone = money(*self.amounts[0])
            return alone if alone.startswith("<") else f"≈{alone}"
        counted = ((currency, amount if amount >= _LEAST else 0) for currency, amount in self.amounts)
        sums = " + ".join(money(currency, amount) for currency, amount in counted)
        return f"{'≥' if self.unpriced else '≈'}{sums}"

    def plus(self, other: CostView) -> CostView:
        """Both together; a currency and a model stand there once."""
        amounts = dict(self.amounts)
        for currency, amount in other.amounts:
            amounts[currency] = amounts.get(currency, 0.0) + amount
        unpriced = dict.fromkeys((*self.unpriced, *other.unpriced))
        return CostView(tuple(amounts.items()), tuple(unpriced))


NO_COST: Final = CostView()


def money(currency: str, amount: float) -> str:
    """With as many digits as matter: ``$0.0042``, ``$0.123``, ``$1.23``, ``CHF 12.50``."""
    sign = _SIGNS.get(currency, f"{currency} ")
    if 0 < amount < _LEAST:
        return f"<{sign}{_LEAST}"
    digits = 4 if 0 < amount < 0.1 else 3 if 0 < amount < 1 else 2
    return f"{sign}{amount:,.{digits}f}"
