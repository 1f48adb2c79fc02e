"""Times calls of the actgrad that this process finds, at the word of another process. It is run, never imported.

Each line of standard input is a request in JSON, each line of standard output its answer. The process of another
revision runs this file too, so it uses what every revision has: operators by name, their plans, the reference.
"""

import importlib.util
import json
import sys
import time
from typing import Any

import ml_dtypes
import numpy as np

import actgrad


def load(path: str) -> Any:
    """The module in a file, which need not be part of this process's actgrad."""
    spec = importlib.util.spec_from_file_location("bench_buffers", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look themselves up
    spec.loader.exec_module(module)
    return module


class Worker:
    """One process's side of a comparison."""

    def __init__(self, buffers: Any):
        self.buffers = buffers
        self.run: Any = None

    def hello(self, threads: int) -> dict[str, Any]:
        """Who this is."""
        actgrad.set_num_threads(threads)
        return {"file": actgrad.__file__, "threads": actgrad.get_num_threads()}

    def prepare(self, name: str, attributes: dict[str, Any], given: bool, from_result: bool, **under: Any) -> Any:
        """Make a call ready; the answer is its seconds, about."""
        operator = actgrad.operators[name]
        dtype = np.dtype(ml_dtypes.bfloat16 if under["dtype"] == "bfloat16" else under["dtype"])
        pool, is_gated = self.buffers.Pool(dtype, deviation=under["deviation"]), bool(operator.access.packed)
        if from_result:
            forward = operator.gradient_of
            assert forward is not None
            shared = {key: value for key, value in attributes.items() if key in forward.defaults}
            pool.main = np.asarray(forward(pool.main, backend="reference", **shared))
        shape = self.buffers.shape_of(under["layout"], under["size"], is_gated, under["row"])
        tensors = self.buffers.make(operator, under["layout"], shape, pool, given)
        self.buffers.spoil(tensors.outputs)
        self.run = operator.plan(*tensors.inputs, out=tensors.out, **attributes).run
        self.run()
        sampled = self.buffers.sample([*tensors.inputs, *tensors.outputs], is_gated)
        inputs, got = sampled[: len(tensors.inputs)], sampled[len(tensors.inputs) :]
        expected = operator(*inputs, backend="reference", **attributes)
        for a, b in zip(got, expected if isinstance(expected, tuple) else (expected,), strict=True):
            tolerance = 1 if dtype.kind in "iu" else 16 * float(ml_dtypes.finfo(dtype).eps)
            if not np.allclose(a.astype(np.float64), b.astype(np.float64), rtol=tolerance, atol=tolerance):
                raise ArithmeticError("its results are wrong")
        return {"seconds": min(self.time(1)["seconds"] for _ in range(3))}

    def time(self, calls: int) -> dict[str, float]:
        """The seconds that some calls take, after one that does not count."""
        run = self.run
        run()
        begin = time.perf_counter()
        for _ in range(calls):
            run()
        return {"seconds": time.perf_counter() - begin}


def serve() -> None:
    """Answer until standard input ends."""
    worker = Worker(load(sys.argv[1]))
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = getattr(worker, request.pop("do"))(**request)
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    serve()
