"""What phase one checks of the functions around the activations.

checks.txt lists the checks, and the contract's code runs them.

judge        reads checks.txt into checks of the contract, and checks a call
row          a row of checks.txt, and the values of a call that its checks read
patterns     checks that most functions of a kind have
words        words of rows on pointers, products, lists and values
shape_words  words of rows on formats and shapes
dtype_words  words of rows on dtypes
"""
