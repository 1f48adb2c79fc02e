"""`actgrad check`: results judged by the standards that operators for Ascend are accepted by, ours or anybody's.

`judge` is a function from (operator, attributes, inputs, actual) to a `verdict`: `elements` are what it looks at,
`golden` knows their exact values, `standards` decide, `measurement` applies them to all elements, `axis` says where it
fails, and `diagnosis` which of the `mistakes`, in arguments or in `arithmetic`, it looks like. `submission` judges
results of others, which `files` and `archives` read once `sizes` holds them against the file; `cases` and `run` try our
own backends, `casefiles` reads and writes test cases of other tools, and `exhaustive` goes through all numbers of a
dtype. `decision` accepts or rejects; `report`, `page`, `pictures` and `progress` show the rest.
"""

from .command import add_parser
from .judging import judge
from .verdict import Diagnosis, Verdict

__all__ = ["Diagnosis", "Verdict", "add_parser", "judge"]
