"""The CPU backend: it compiles a formula to machine code, and runs the code on loops of any layout.

`engine` makes kernels of computations. `jit` compiles; `code_cache` keeps machine code on disk.
`target` describes a processor, `tuning` holds the choices that measurements made for a processor.

A `kernel_spec` specifies an inner loop. `inner_loop` emits the loop: `operands` loads and stores vectors, `casting`
converts them, `body` computes the formulas, `remainder` ends the row. The body uses an `emitter` of vector instructions
with the known `facts` of values, `vector_primitives`, and tables: `piecewise`, `formula_table`, `lookup_buffer`.

`reduction` emits the loop over rows whose elements use statistics. `row_loop` has the parts of that loop.

`half_tables` holds results for all half-precision numbers. `schedule` decides how to cut a loop, and writes the words
of `call_block`. `driver` walks the loop on the `threads`, through `tiles` with `packing`, in the default
`fp_environment`. `ir_builder` and `ir_types` help to emit LLVM IR.
"""

from .engine import compile_for_any_size, prepare

__all__ = ["compile_for_any_size", "prepare"]
