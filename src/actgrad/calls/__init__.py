"""One call, from its arguments to its kernel.

operator        the function that a user calls
arguments       turns its arguments into views and plain values
prepare         checks a call, makes its kernel and allocates its outputs
aliasing        refuses outputs that overlap inputs
counted_kernel  computes rows that a tensor counts or groups
plan            a checked call, ready to run
call_cache      keeps the calls that passed their checks
fast_path       runs the kernel of a call directly if an earlier call was like it. `_fastcall.c` does the same in C
extension       loads `_fastcall.c`, with `_arrays.h` and `_aliasing.h`, if it is compiled
precompile      compiles kernels before they are needed
dynamo          functions that torch.compile must not trace
"""
