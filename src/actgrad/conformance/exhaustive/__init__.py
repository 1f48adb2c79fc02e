"""`actgrad check --exhaustive`: an operator tried at every number of a dtype.

sweep         one operator at one number after another, measured against exact values
mpmath_check  the exact values held against mpmath
resumption    the sweeps of a run, and their state on disk: an interrupted run goes on where it was
table         the figures of the sweeps for the terminal and for docs/accuracy.md
"""
