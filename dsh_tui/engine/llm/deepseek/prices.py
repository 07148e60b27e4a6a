"""The prices that DeepSeek publishes for its own service, by the time of a request.

A price counts from an instant on. In peak hours (09–12 and 14–18 in Beijing, Monday to Friday) all of
them are twice as high. On public holidays in China there is no peak, which no calendar here knows: an
estimate for such a day is too high. Requests of before the oldest price have none.
Source: https://api-docs.deepseek.com/quick_start/pricing as of November 2026.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Final, Literal, TypeAlias

from dsh_tui.engine.llm.prices import Price

Currency: TypeAlias = Literal["USD", "CNY"]
"""DeepSeek bills an account in one of these."""
Rates: TypeAlias = tuple[float, float, float]
"""Off peak, for a million tokens: input read anew, input read from the cache, output."""

_BEIJING: Final = timezone(timedelta(hours=8))
_PEAK_HOURS: Final = ((9, 12), (14, 18))
_PEAK_FACTOR: Final = 2
_SATURDAY: Final = 5


def _ms(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)


_PEAKS: Final = _ms(datetime(2026, 8, 16, 16, tzinfo=UTC))
"""Prices by the hour began; those before are not listed."""
_QUIET_WEEKENDS: Final = _ms(datetime(2026, 8, 22, 16, tzinfo=UTC))
_FLASH_4_1: Final = _ms(datetime(2026, 9, 10, 4, tzinfo=UTC))

_FLASH: Final[tuple[tuple[int, dict[Currency, Rates]], ...]] = (
    (_FLASH_4_1, {"USD": (0.15, 0.003, 0.60), "CNY": (1.0, 0.02, 4.0)}),
    (_PEAKS, {"USD": (0.22, 0.007, 0.66), "CNY": (1.5, 0.05, 4.5)}),
)
_PRO: Final[tuple[tuple[int, dict[Currency, Rates]], ...]] = (
    (_PEAKS, {"USD": (0.66, 0.022, 1.98), "CNY": (4.5, 0.15, 13.5)}),
)
_MODELS: Final = {
    "deepseek-flash": _FLASH,
    "deepseek-v4-flash": _FLASH,
    "deepseek-v4-flash-vision-exp": _FLASH,
    "deepseek-v4-pro": _PRO,
}


def published_price(model: str, at_ms: int, currency: Currency = "USD") -> Price | None:
    """What a request of this moment costs; None for models and times that are not listed."""
    for since, rates in _MODELS.get(model, ()):
        if at_ms >= since:
            factor = _PEAK_FACTOR if _is_peak(at_ms) else 1
            anew, cached, output = rates[currency]
            return Price(
                currency=currency, input=anew * factor, cached=cached * factor, output=output * factor
            )
    return None


def _is_peak(at_ms: int) -> bool:
    moment = datetime.fromtimestamp(at_ms / 1000, _BEIJING)
    if moment.weekday() >= _SATURDAY and at_ms >= _QUIET_WEEKENDS:
        return False
    return any(start <= moment.hour < end for start, end in _PEAK_HOURS)
