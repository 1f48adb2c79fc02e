"""The command line: `main` parses it, each `*_command` module is one command, `exhaustive_command` a mode of check."""
