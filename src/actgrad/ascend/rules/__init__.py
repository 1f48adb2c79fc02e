"""The record of a law, and the rules that laws state.

record              what CANN says about an operator, and about its C functions
rule                a check with its origin and the calls that it judges
stages              limits rules to a stage, to products or to nonempty tensors
dtype_rules         rules on data types of chips and of typed scalars
shape_rules         rules on pointers, products, formats and ranks
halves_rules        limits on packed tensors
quantisation_rules  rules on the outputs of quantisation
order               all rules of a law in CANN's order
in_force            the law in force for a call
graph_lines         the language of the lines of graph operators
lint                mistakes in laws that users state
old_fields          laws from the fields that definitions had before
"""
