"""A delivery: a folder with the inputs of many cases, a manifest, and the outputs that another program adds.

manifest          reads and writes manifest.json and the tensors that it names
design            says which cases a delivery has, and whether it is complete
delivery_command  `actgrad check --manifest` and `--compare`
optional_tensors  dtypes, shapes and numbers of optional tensors
drawing           makes the cases of `actgrad cases --tensors`
trial             judges all cases; a case that has not changed since an earlier run is not judged again
reproduction      a command and a script that show a failing case again
comparison        compares two reports
summary           the verdict on all cases: for a terminal, as JSON, JUnit XML and a page
"""
