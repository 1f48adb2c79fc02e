"""Rules for modules of PyTorch that take long to import: `late_imports` waits for the import of such a module.

`graph_keys` completes the keys of torch.compile's caches on disk.
"""
