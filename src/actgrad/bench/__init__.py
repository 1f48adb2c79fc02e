"""`actgrad bench`: how fast the operators are, beside what one would otherwise call and beside the machine's limits.

`cases` says what is measured and `buffers` in which memory; `peers` are the others and `ceiling` is the machine;
`verify` refuses what is wrong, `timing` takes the times. The measurements: `throughput`, `latency` of tiny calls,
`start` of a new process, peak `memory`, and throughput against another revision, `base`. `report` and `plots` show
them.
"""

from .command import add_parser

__all__ = ["add_parser"]
