"""`actgrad bench`: how fast the operators are, beside what one would otherwise call and beside the machine's limits.

`cases` says what is measured, `buffers` in which memory, `devices` where: on the CPU, or by `cuda` on a GPU; `peers`
are the others and `ceiling` is the machine; `verify` refuses what is wrong, `timing` takes the times. The measurements:
`throughput`, `latency` of tiny calls, `start` of a new process, peak `memory`, in the order of `suite`, and throughput
against another revision, `base`. `report` and `plots` show them.
"""
