"""DeepSeek's chat API over HTTP and server-sent events, as the route ``deepseek``.

Mounted by bundles through `plugin`; nothing else imports it. httpx is loaded by the first request.
Leaves out on purpose: retries (see `dsh_tui.engine.llm.retry`), file upload, ``tool_choice``.
"""
