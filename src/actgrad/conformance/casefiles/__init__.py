"""Files of test cases as published with CANN's operators: ATK's (JSON) and TTK's (CSV).

case_model  a case as data, with the numbers and the layout of its tensors, which both formats share
fields      the types of the formats' fields
interface   the function that a file names
atk, ttk    the two formats: a case read, cases written
case_files  a file of either format read, and written with its results
execution   a case computed by our backend and judged
generation  cases as the mixed tolerance demands them
"""
