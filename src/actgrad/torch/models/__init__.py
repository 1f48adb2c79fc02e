"""What concerns whole models.

reading     a forward's syntax tree, followed without a call of the model's code; every read is recorded
source      a function's source, and a copy of the function with other code
syntax      forms in a syntax tree
trials      modules of other libraries, known by their code and by a comparison in numbers
clipped_gates  clipped SwiGLU of interleaved pairs, as in gpt_oss
gates       products such as act(gate) * up, in a copy of a module's code
gate_products  products by our functions
recomputation  products that are computed again in the backward pass
outcome     what convert reports
patching    functional calls, counted or given to actgrad
comparison  a model before and after its conversion, in numbers
"""
