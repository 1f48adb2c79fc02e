"""Benchmarks of actgrad, compared with other libraries and with the machine's limits: `python -m benchmarks --help`.

`__main__`, `run_command` and `arguments` are the command line; `subject` is the actgrad that is measured. `cases` are
operators with attributes, `buffers` their memory, `verify` refuses wrong results, `timing` takes the times, `suite`
puts the measurements in order, `results` are their outcomes and JSON; `report` makes tables of them, `page` and `plots`
documents, `compare` holds two files against each other; `machine` names the machine. `training` and `sdk_calls` measure
training with PyTorch and programs in C, for `documents`; `torch_routes` compares two routes of a call of
`actgrad.torch`; `gpu_check` is scripts/gpu_check.py, on a GPU. `devices/` are the CPU and GPUs, `measurements/`
throughput, latency, start of a process and peak memory, `peers/` the other libraries. `power` counts the wrong
kernels that acceptance standards accept.
"""
