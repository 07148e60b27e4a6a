"""The product: one home, its settings and credentials, and the engine booted on them.

Every front end (app, exec) starts here, so they cannot differ in what they load.
Source: design §2, §4.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dsh_tui.engine.agent.agent import AgentOptions
from dsh_tui.engine.approval.service import APPROVAL, Approval
from dsh_tui.engine.base.errors import HarnessError
from dsh_tui.engine.base.to_the_end import to_the_end
from dsh_tui.engine.boot import Engine, boot
from dsh_tui.engine.bundles import base
from dsh_tui.engine.compaction.service import Limits
from dsh_tui.engine.credentials.store import CredentialStore
from dsh_tui.engine.instructions.files import own_fault
from dsh_tui.engine.kernel import find_fiber
from dsh_tui.engine.llm.deepseek import plugin as deepseek
from dsh_tui.engine.llm.deepseek.adapter import DEFAULT_BASE_URL, MODELS
from dsh_tui.engine.llm.deepseek.prices import published_price
from dsh_tui.engine.llm.models import ModelInfo
from dsh_tui.engine.llm.prices import Price
from dsh_tui.engine.llm.service import LLM, LlmService
from dsh_tui.engine.modes.modes import MODES
from dsh_tui.engine.permissions.book import PERMISSIONS, Permissions, PermissionsConfig
from dsh_tui.engine.permissions.past_calls import PastCalls
from dsh_tui.engine.permissions.rule_file import RuleFile
from dsh_tui.engine.persistence.dialects.adoption import adopt
from dsh_tui.engine.persistence.dialects.paths import original_sessions
from dsh_tui.engine.persistence.lease.plugin import LeaseConfig
from dsh_tui.engine.persistence.seam import LoadedSession
from dsh_tui.engine.plugin_folder.folder import PLUGINS, PluginFolder
from dsh_tui.engine.plugin_folder.projects import PROJECT_PLUGINS, ProjectPlugins
from dsh_tui.engine.sandbox.plugin import SandboxConfig
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.store import SESSIONS, SessionStore
from dsh_tui.engine.session_copies import own_fork
from dsh_tui.engine.settings.edit import save_base_url
from dsh_tui.engine.settings.home import Home
from dsh_tui.engine.settings.last_good import LastGood
from dsh_tui.engine.settings.rules import read_project_rules, read_user_rules
from dsh_tui.engine.settings.settings_file import SettingsFile
from dsh_tui.engine.trust.plugin import TrustConfig
from dsh_tui.engine.trust.service import TRUST, Trust

if TYPE_CHECKING:
    from dsh_tui.engine.session_index.index import SessionIndex
    from dsh_tui.engine.settings.schema import Settings

PROVIDER = "deepseek"


class ModelNameError(HarnessError):
    """A model was named in a way that can't be used."""

    code = "MODEL_NAME"


@dataclass(frozen=True, slots=True, kw_only=True)
class StartOptions:
    """What a front end asks for. ``None`` leaves it to settings and log."""

    cwd: Path
    environ: Mapping[str, str]
    model: str | None = None
    effort: str | None = None
    mode: str | None = None
    watch_plugins: bool = False
    written_titles: bool = False
    """Whether sessions get titles by the model, if the settings want them too."""
    invariants: bool = False
    broken_settings_are_fatal: bool = True
    """Otherwise the last good ones are used, or defaults, and `Product.notices` says so."""


class Product:
    """A running engine and what it was started from. Dispose it exactly once."""

    def __init__(
        self,
        engine: Engine,
        home: Home,
        settings_file: SettingsFile,
        credentials: CredentialStore,
        options: StartOptions,
    ) -> None:
        self.engine = engine
        self.home = home
        self.settings_file = settings_file
        self.credentials = credentials
        self.cwd = options.cwd
        self.agent_options = agent_options(options.model, options.effort)
        self.notices: list[str] = []
        self._environ = options.environ

    @classmethod
    async def start(cls, options: StartOptions) -> Product:
        """Read home and settings, boot, and mount the user's plugins.

        Raises:
            HomeError, SettingsError, ModelNameError, BootError: one clear line each.
        """
        home = Home.from_environment(options.environ)
        home.prepare()
        settings_file = SettingsFile(
            home.settings,
            tolerant=not options.broken_settings_are_fatal,
            last_good=LastGood(home.last_settings),
        )
        settings = settings_file.current
        credentials = CredentialStore(home.credentials, options.environ)
        config = _bundle_config(home, settings_file, credentials, options, lambda: product)
        engine = await boot(lambda root: root.plugin(base, config))
        product = cls(engine, home, settings_file, credentials, options)
        try:
            await product.plugins.sync()
            await product.projects.keep(options.cwd)
            product._check_models(tolerant=not options.broken_settings_are_fatal)
            product._check_mode(options.mode or settings.mode, tolerant=not options.broken_settings_are_fatal)
            await to_the_end(settings_file.keep)
        except BaseException:  # raised again; what was begun is undone first
            await product.dispose()
            raise
        product.notices += filter(None, (product.trust.fault, own_fault(home.instructions)))
        records = (*product.plugins.records(), *product.projects.records())
        product.notices += [record.error for record in records if record.error]
        return product

    def _check_models(self, *, tolerant: bool) -> None:
        """Whether the providers that are named exist; plugins may have added some."""
        if self.settings_file.fault:
            self.notices.append(self.settings_file.notice)
        llm = self.engine.root[LLM]
        _check_provider(llm, self.agent_options, "")
        try:
            _check_provider(llm, agent_options(self.settings.model, None), f"{self.home.settings}: model: ")
        except ModelNameError as error:
            if not tolerant:
                raise
            self.notices.append(error.message)

    def _check_mode(self, mode: str, *, tolerant: bool) -> None:
        """Whether the mode can be kept here; a sandbox that can't lets no command run."""
        try:
            self.engine.root[MODES].check(mode)
        except HarnessError as error:
            if not tolerant:
                raise
            self.notices.append(f"mode {mode}: {error.message} No command runs in it; choose another mode.")

    @property
    def settings(self) -> Settings:
        """The last good ones."""
        return self.settings_file.current

    async def reload_settings(self) -> bool:
        """Take up a changed settings file: models and servers at once, the rest with the next start."""
        if not self.settings_file.reload():
            return False
        await to_the_end(self.settings_file.keep)
        await self._update_provider()
        return True

    @property
    def plugins(self) -> PluginFolder:
        return self.engine.root[PLUGINS]

    @property
    def projects(self) -> ProjectPlugins:
        return self.engine.root[PROJECT_PLUGINS]

    @property
    def trust(self) -> Trust:
        return self.engine.root[TRUST]

    @property
    def approval(self) -> Approval:
        return self.engine.root[APPROVAL]

    @property
    def permissions(self) -> Permissions:
        return self.engine.root[PERMISSIONS]

    @cached_property
    def index(self) -> SessionIndex:
        """Of the stored sessions. Only browsers ask for it, so it is not imported before."""
        from dsh_tui.engine.bundles.storage import index_of

        return index_of(self.home.index, self.home.sessions, self._environ)

    @property
    def sessions(self) -> SessionStore:
        return self.engine.root[SESSIONS]

    @property
    def base_url(self) -> str:
        return _base_url(self.settings, self._environ)

    def known_models(self) -> tuple[ModelInfo, ...]:
        """Models that can be named without asking anybody."""
        llm = self.engine.root[LLM]
        return tuple(
            llm.resolve_model(PROVIDER, model) for model in (*MODELS, *_listed_models(self.settings))
        )

    def price_of(self, provider: str, model: str, at_ms: int) -> Price | None:
        """What a request costs: as the settings say, else as published where that service is asked."""
        configured = self.settings.providers.get(provider)
        currency = configured.currency if configured is not None else "USD"
        prices = configured.prices if configured is not None else {}
        own = prices.get(model) or prices.get(f"{provider}/{model}")  # models are also called that
        if own is not None:
            cached = own.input if own.cached is None else own.cached
            return Price(currency=currency, input=own.input, cached=cached, output=own.output)
        if provider == PROVIDER and _is_official(self.base_url):
            return published_price(model, at_ms, "CNY" if currency == "CNY" else "USD")
        return None

    def needs_key(self) -> bool:
        """Whether no request can succeed: the service wants a key, and there is none."""
        return _key(self.credentials, self.base_url) is None

    async def use_base_url(self, url: str) -> None:
        """Keep another server in the settings and go to it from the next request on.

        Raises:
            SettingsError: it could not be kept; nothing changed.
        """
        save_base_url(self.home.settings, PROVIDER, url)
        await self.reload_settings()

    async def _update_provider(self) -> None:
        fiber = find_fiber(self.engine.root.fiber, deepseek.name)
        assert isinstance(fiber.config, deepseek.DeepSeekConfig)
        config = replace(fiber.config, base_url=self.base_url, models=_listed_models(self.settings))
        if config != fiber.config:
            await fiber.update(config)

    def fork(self, stored: LoadedSession, boundary: int | None) -> tuple[dict[str, Any], Sequence[Event]]:
        """Header fields and events of a fork at the last turn boundary up to and with ``boundary``.

        Raises:
            StoreError: there is no such place.
            UnknownEventError: another program's log holds what may not be skipped.
        """
        if stored.dialect:
            providers = self.engine.root[LLM].list_providers()
            return adopt(stored, boundary, providers=providers, model=self._default_model())
        fork = own_fork(stored, boundary)
        return fork.meta, fork.seed

    def _default_model(self) -> dict[str, Any]:  # Any: JSON of model/selected
        chosen = agent_options(self.settings.model, None)
        return {"provider": chosen.provider, "model": chosen.model}

    async def dispose(self) -> None:
        """End everything in order; see `Engine.dispose`."""
        await self.engine.dispose()


def _bundle_config(
    home: Home,
    settings_file: SettingsFile,
    credentials: CredentialStore,
    options: StartOptions,
    product: Callable[[], Product],
) -> base.Config:
    """What the bundle mounts; ``product`` is asked once it stands."""
    settings = settings_file.current

    async def reload() -> None:
        await product().reload_settings()

    return base.Config(
        sessions=home.sessions,
        originals=original_sessions(options.environ),
        plugins=home.plugins,
        spill=home.spill,
        instructions=home.instructions,
        trust=TrustConfig(home.trust, own_home=home.root),
        api_key=lambda: _key(credentials, _base_url(settings_file.current, options.environ)),
        base_url=_base_url(settings, options.environ),
        models=_listed_models(settings),
        default_model=lambda: agent_options(settings_file.current.model, settings_file.current.effort),
        kept=(home.root,),
        mode=options.mode or settings.mode,  # type: ignore[arg-type]  # the command line offers modes only
        permissions=PermissionsConfig(
            user_rules=lambda: settings_file.current.permissions.rules,
            user_unread=lambda: settings_file.unread,
            user_file=RuleFile(home.settings, read_user_rules),
            read_project_rules=read_project_rules,
            reload=reload,
            past=PastCalls(lambda: product().index.sources),
            kept=(home.root,),
        ),
        lease=LeaseConfig(ttl_ms=settings.lease.ttl_ms, renew_interval_ms=settings.lease.renew_interval_ms),
        environ=options.environ,
        pass_environment=settings.shell.pass_environment,
        sandbox=SandboxConfig(
            writable=tuple(Path(folder).expanduser() for folder in settings.sandbox.writable),
            home=home.root,
            hidden=(home.credentials,),
        ),
        plugin_configs=settings.plugins,
        watch_plugins=options.watch_plugins,
        compaction=Limits(
            auto=settings.compaction.auto,
            threshold=settings.compaction.threshold,
            retain=settings.compaction.retain,
        ),
        written_titles=options.written_titles and settings.titles == "model",
        invariants=options.invariants,
    )


def agent_options(model: str | None, effort: str | None) -> AgentOptions:
    """``PROVIDER/MODEL`` or ``MODEL`` as options; whether the provider exists is asked after the boot.

    Raises:
        ModelNameError: nothing before or after the slash.
    """
    if model is None:
        return AgentOptions(effort=effort)
    provider, slash, name = model.strip().partition("/")
    if not slash:
        provider, name = PROVIDER, provider
    if not provider or not name:
        raise ModelNameError(f"{model!r} is no model; write PROVIDER/MODEL, such as {PROVIDER}/{MODELS[0]}")
    return AgentOptions(provider=provider, model=name, effort=effort)


def _check_provider(llm: LlmService, options: AgentOptions, where: str) -> None:
    known = llm.list_providers()
    if options.provider is not None and options.provider not in known:
        given = f"{options.provider}/{options.model}"
        raise ModelNameError(
            f"{where}{given}: no provider {options.provider}; known: {', '.join(known)} "
            f"(for a model id with a slash write {PROVIDER}/{given})"
        )


def _base_url(settings: Settings, environ: Mapping[str, str]) -> str:
    configured = settings.providers.get(PROVIDER)
    return (
        environ.get("DEEPSEEK_BASE_URL", "").strip()
        or (configured.base_url if configured is not None else None)
        or DEFAULT_BASE_URL
    )


def _listed_models(settings: Settings) -> tuple[str, ...]:
    configured = settings.providers.get(PROVIDER)
    return configured.models if configured is not None else ()


def _key(credentials: CredentialStore, base_url: str) -> str | None:
    found = credentials.resolve(PROVIDER)
    if found is not None:
        return found.value
    # A server of one's own usually wants no key, yet every client sends one.
    return None if _is_official(base_url) else "none"


def _is_official(base_url: str) -> bool:
    """Whether it leads to DeepSeek's own service, by whichever of its paths."""
    return f"{base_url.lower()}/".startswith(f"{DEFAULT_BASE_URL}/")
