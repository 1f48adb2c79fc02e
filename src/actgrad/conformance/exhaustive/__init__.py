"""`actgrad check --exhaustive`: operators at every number of a dtype.

`item` is one sweep as data, `sweep` computes and measures it, `state` keeps what was found so that an interruption
loses little, `precise` holds the exact values against mpmath, `schedule` goes through all of it, `table`
writes it down.
"""
