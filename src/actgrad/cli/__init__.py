"""The frame of the command line, which knows no wing.

main             runs the command line
commands         the commands of the core and of each wing, from the files commands.json
parsing          the `Parser`, whose errors are one line
argument_types   types of arguments
list_command, cache_command, demo_command   the commands of the core
version_command  `--version --verbose`
"""
