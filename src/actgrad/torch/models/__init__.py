"""Converts and measures whole models.

reading     runs a forward from its syntax tree, without calling the model's code, and records every read
source      a function's source, and a copy of the function with other code
syntax      forms in a syntax tree
trials      recognises modules of other libraries, by their code and by comparing values
clipped_gates  clipped SwiGLU of interleaved pairs, as in gpt_oss
gates       replaces products such as act(gate) * up in a copy of a module's code
gate_products  products by our functions
recomputation  lets the backward pass compute products again
outcome     the report of convert
patching    passes functional calls to actgrad, and counts them
comparison  measures a model before and after its conversion
"""
