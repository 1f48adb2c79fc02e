"""Files from anywhere, which may be damaged or hostile.

tensor_files  a tensor from a .npy, .npz, .bin, .pt or .safetensors file
archives      tensors from files that may hold several: .npz, .pt, .safetensors
sizes         sizes checked against the file before memory is taken
state         the results of a long run, from which an interrupted run goes on
submission    files on the command line, and the verdict on them
"""
