"""`actgrad check --exhaustive`: tries an operator at every number of a dtype.

exhaustive_command  the progress bar, the table and the exit status
sweep               one operator at one number after another, measured against exact values
mpmath_check        compares the exact values with mpmath
resumption          the sweeps of a run, and their state on disk, so that an interrupted run can continue
table               the figures of the sweeps for the terminal and for docs/accuracy.md
"""
