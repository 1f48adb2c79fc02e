"""Converts and measures whole models.

proposals   what convert may swap, for each module
known       the classes of other libraries that convert knows
gates       gated blocks, computed by gated_linear
trials      compares a module's own method with our function
pays        which swaps pay
swapping    puts methods on modules, and takes them off
outcome     the report of convert
patching    passes functional calls to actgrad, and counts them
comparison  measures a model before and after its conversion
"""
