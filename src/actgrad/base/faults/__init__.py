"""Faults that are found when an operator is defined.

definition_faults   of fields, names and schema lines
access_faults       of accesses
torch_names         parses the names that a definition states for PyTorch
"""
