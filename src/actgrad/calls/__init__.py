"""One call, from its arguments to its kernel.

`operator` is the function that a user calls, `arguments` turns its arguments into views and plain values, `prepare`
checks them, makes the kernel and gives it memory, and `aliasing` refuses outputs that overlap inputs. `plan`
is a call ready to run. `counted_kernel` computes the rows that a tensor counts or groups. `call_cache` keeps calls that
passed, and `fast_path` takes calls like these to their kernels: in C by `_fastcall.c`, with `_arrays.h` and
`_aliasing.h`, where `extension` finds it compiled. `precompile` compiles ahead, and `dynamo` keeps PyTorch's compiler
out.
"""
