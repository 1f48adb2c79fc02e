"""Text and files for people: `terminal` is standard output, `outputs` whole files, `documents` their parts."""
