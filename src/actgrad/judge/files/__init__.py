"""Reads files from other programs, which may be damaged or hostile.

tensor_files  a tensor from a .npy, .npz, .bin, .pt or .safetensors file
fields        the fields of manifests and of case files
archives      tensors from files that may hold several: .npz, .pt, .safetensors
sizes         compares sizes with the file before it allocates memory
operator_files  Python files that define operators
submission    files on the command line, and the verdict on them
"""
