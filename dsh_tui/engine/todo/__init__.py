"""The plan: the agent's list of things to do, whole at every change.

Job: the ``todo_write`` tool, which logs ``todo/write``; screens fold that event. No service.

Source: capabilities B5.
"""
