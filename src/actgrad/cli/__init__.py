"""The command line.

`main` runs it with the `Parser` of `parsing`. `argument_types` has types of arguments. Commands: `list_command`,
`check_command` with its modes `exhaustive_command` and `delivery_command`, `cases_command`, `sdk_command`,
`kernel_command` and its `kernel_check_command`, `cache_command`, `demo_command`, and `version_command` for
`--version --verbose`.
"""
