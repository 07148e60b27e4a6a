"""The model seam: vocabulary, assembler, adapters and the one way to stream.

Job: carry a frozen request to a provider and its answer back as chunks. Service: `LLM` (``llm``),
published by `plugin`. Events: ``llm/stream``. Extension points: `LlmService.register_adapter`, listeners
of ``llm/stream``. The vocabulary (blocks, chunks, messages, usage, config, request, assembler) may be
imported by anyone and imports only base; providers and ``retry`` are mounted by bundles only.
Left out on purpose: retries inside a stream, parsing of arguments.
"""
