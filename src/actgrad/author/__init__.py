"""The linter for operators that users write. Operators that the package ships are linted by a test.

linter           what runs when an operator is defined, and at its first call
old_names        the names that fields had before version 0.4
lint_definition  mistakes in fields, names and schema lines
lint_access      mistakes in `layout`
lint_formulas    mistakes in formulas. It calls them on the numbers of `trace`
lint_calls       mistakes in checks. It makes sample calls
"""
