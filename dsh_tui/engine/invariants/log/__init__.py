"""Checks of a log, one file an owner. Pure: they know the events so far and nothing else."""
