"""Files of test cases as published with CANN's operators: ATK's (JSON), TTK's (CSV) and cann-bench's (YAML).

cases_command  `actgrad cases`
checking    `actgrad check --cases`, which the judge's command asks for
case_model  a case as data, with the numbers and the layout of its tensors, which the formats share
interface   the function that a file names
atk, ttk    two formats: they read a case and write cases
cann_bench  cann-bench's format: it reads a case
case_files  reads a file of any format, and writes it with its results
execution   computes a case on our backend, and judges the results
delivered   the cases of a file as a delivery
generation  makes the cases that the mixed tolerance requires
"""
