"""The measurements of a run: `throughput` on tensors of any size, `latency` of calls on few elements, `start` of a new
process, `peak_memory` of one call. `contenders` binds our forms and the peers' to tensors, and refuses wrong results.
"""
