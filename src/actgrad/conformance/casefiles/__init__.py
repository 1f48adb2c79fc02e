"""Files of test cases as published with CANN's operators: ATK's (JSON) and TTK's (CSV).

`described` is a case as data, `interface` the operator that a file means, `value_ranges` its numbers, `fields` the
types of fields. `atk` and `ttk` read and write the formats, `reading` a file of either. `execution` runs cases,
`result_files` writes their outcomes, `generation` makes cases as the mixed tolerance asks.
"""
