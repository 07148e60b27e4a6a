"""The derived index: rows and texts of all stored sessions, for the browser and for content search.

Job: answer "which sessions are there, and which of them say this" without opening their logs.
Service: ``session-index`` (`plugin.SESSION_INDEX`); `SessionIndex` itself needs no boot.
Who may import it: front ends. It knows logs only through `persistence.log_source.LogSource`.
Invariant: it holds nothing that is not in a log; it may be deleted at any time and used by two processes.
Left out on purpose: tool output (most of a log, and rarely what is remembered), ranking (newest first).
Source: design §3.7.
"""
