"""The tests, in folders like the package's; `support` has the modules that several of them import.

Tests are imported from the root of the repository, as `tests.cpu.test_threads`. So no folder of tests is on `sys.path`.
`pytorch` and `triton_backend` have names of their own: in a process that starts here, `torch` is still PyTorch.
"""
