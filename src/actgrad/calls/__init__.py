"""One call, from its arguments to its kernel.

`operator` is called by users, `arguments` turns a call's arguments into views and plain values, `prepare` checks it
and makes its kernel, `aliasing` refuses outputs on inputs, `plan` is a call ready to run. `call_cache` knows calls that
passed before, `fast_path` runs them, in C where the `extension` was built. `precompile` compiles ahead, `dynamo` keeps
PyTorch's compiler out.
"""
