"""What phase one checks of a function. The rows of functions/ state it, and the contract's code runs it.

phrases      what a row says of a function's checks
terms        numbers of a call, and comparisons of them
dtypes       lists of dtypes
patterns     checks that most functions of a kind have
words        checks of pointers, products, lists and values
shape_words  checks of formats and shapes
dtype_words  checks of dtypes
row          what the checks read of a function and of a call
judge        the checks of a function, and a call under them
"""
