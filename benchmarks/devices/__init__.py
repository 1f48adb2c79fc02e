"""The devices that are measured: `cpu` is this machine's processor, `cuda` a GPU that PyTorch sees.

Both classes have the same methods; `Cpu` says what each is.
"""
