"""Text and files for people: `terminal` writes to standard output, `outputs` whole files, `documents` parts of them."""
