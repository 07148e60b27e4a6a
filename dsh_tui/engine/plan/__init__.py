"""Plan mode's way out: the model hands its plan over, and a person approves it or sends it back.

Job: the ``exit_plan_mode`` tool and the question that comes before it. No service. Reads and sets
the mode through `modes`; the mode's own policy decides on every other call.
Left out on purpose: entering plan mode, which only a person does.

Source: capabilities B5 (plan mode); design §3.16.
"""
