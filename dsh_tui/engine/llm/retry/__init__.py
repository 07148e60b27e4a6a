"""Retries of failed model requests, at step boundaries, visible in the log.

Listens to ``agent/request-error``; nothing is provided. A retry is a new request over the same
history; the partial answer of the failed one is in no later request.
"""
