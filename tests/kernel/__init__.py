"""Kernels of our own that the kernel wing runs, and faults planted in others.

The kernels were written from the documents of Ascend C by someone who had not read the wing's checks.
"""
