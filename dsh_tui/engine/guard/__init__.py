"""Guards: plugins that keep a turn from running away. Each is mounted by itself; none has a service.

`max_steps` ends a turn that never ends by itself; `repeat_reminder` speaks up when the same call is
made again and again; `lost_session` ends a turn that can no longer be stored.
Source: core spec §8.5 (max steps), §4.6 (lease); capabilities B5.
"""
