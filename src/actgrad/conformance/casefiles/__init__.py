"""Files of test cases as published with CANN's operators: ATK's (JSON) and TTK's (CSV).

`described` is a case as data, `interface` which operator a file means, `values` its numbers, `fields` what a field
must be. `atk` and `ttk` read and write the formats, `reading` a file of either, `execution` runs cases, `results`
writes what was found. `generation` makes cases as the mixed tolerance asks; `command` is `actgrad cases`.
"""

from ...cli.cases_command import add_parser

__all__ = ["add_parser"]
