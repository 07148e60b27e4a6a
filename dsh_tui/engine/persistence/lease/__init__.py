"""The write lease: one process at a time writes a session, and a crashed one is waited out.

Job: keep two processes from writing one log, without fences and without asking after processes.
Service: ``leases`` (`persistence.seam.LEASES`), mounted by `lease.plugin`.
Who may import it: bundles mount it; lists read `record.holder_of`, which needs no kernel.
States: free → held → lost or released. Lost is for good.
Left out on purpose: reclaiming by pid. A pid is shown to people and decides nothing.
Source: core spec §4.6; seed 000.
"""
