"""The user's home folder and settings. Who may import: boot, front ends, bundles.

A missing settings file costs nothing: pydantic and yaml are imported only to read one.
"""
