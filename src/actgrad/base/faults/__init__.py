"""Mistakes that are found when an operator is defined.

definition_faults   mistakes in fields, names and schema lines
access_faults       mistakes in `reads`
torch_names         parses the names that a definition states for PyTorch
"""
