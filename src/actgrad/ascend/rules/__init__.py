"""The record of a law, and the rules that laws state.

law          what CANN says about an operator and its C functions, and the law in force for a call
rule         a check with its origin and the calls that it judges, and all rules that laws state
scalars      numbers of scalars as CANN's checks convert them
graph_lines  the language of the lines of graph operators
lint         mistakes in laws that users state
"""
