"""The system prompt seam: sections and variables in, one stable text and the tool list out.

Service key: `assembly.SYSTEM_PROMPT`. Anybody may add sections in their own scope. The product's
own text is the plugin `identity`; facts that change are put into the history by `environment`, the
user's standing instructions into the session's opening by `instructions`.
Source: core spec §5.
"""
