"""The wing for CANN: what Huawei's chips and the aclnn interface say about operators.

law         one file for a family: chips, data types, rules, names in C and in graphs
rules       the record of a law, and the rules that laws state
products    the chips
choice      the choice of the product whose rules judge calls
old_fields  laws from the fields that definitions had before
slots       what the core asks of this wing
"""
