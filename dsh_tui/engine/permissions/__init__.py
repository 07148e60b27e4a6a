"""Permissions: rules that say which calls run, ask or are refused, and the record of what was decided.

The rules themselves are pure (`rule`, `judge`, `danger`, `proposal`); the book keeps those in force
per session, project and user; the ledger is a fold over logs. Service key: `book.PERMISSIONS`.
Source: design §3.15; core spec §6 (Ask).
"""
