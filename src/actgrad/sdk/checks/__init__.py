"""What phase one checks of the functions around the activations: checks.txt, judged by the contract's machinery.

judge        checks.txt, read into checks of the contract, and a call judged by them
row          a row of checks.txt, and what a call has
patterns     what functions of a kind check
words        the words of rows: pointers, products, lists, values
shape_words  the words of rows: formats and shapes
dtype_words  the words of rows: dtypes
"""
