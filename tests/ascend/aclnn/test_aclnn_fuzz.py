"""Random calls of the aclnn functions: statuses as the model says, and not a byte written that is not an output's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import cycle, islice
from itertools import product as product_of
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actgrad import aclnn
from tests.support.aclnn.breakers import breakers
from tests.support.aclnn.checks import (
    EXISTS,
    INVALID,
    NO_KERNEL,
    NOT_CONFIGURED,
    NULL,
    PRODUCTS,
    SUCCESS,
    TILING,
    listed,
)
from tests.support.aclnn.formulas import is_close
from tests.support.aclnn.functions import FUNCTIONS, GENERATED, INPUTS, OUTPUTS, WHOLE, good, tensors
from tests.support.aclnn.live_calls import FORMATS, Live, functional
from tests.support.aclnn.model import faults, rows
from tests.support.aclnn.values import (
    COMPLEX,
    DTYPES,
    FLOATS,
    INTEGERS,
    ITEMSIZE,
    NUMPY,
    SCALARS,
    Call,
    Scalar,
    Tensor,
    promoted,
)
from tests.support.calls import same_bits
from tests.support.surroundings import SURROUNDINGS

BROADCAST = (
    "aclnnLeakyReluBackward", "aclnnSigmoidBackward", "aclnnTanhBackward", "aclnnAddRelu", "aclnnInplaceAddRelu",
    "aclnnThresholdBackward", "aclnnGeluBackward", "aclnnGeluBackwardV2", "aclnnMishBackward",
    "aclnnHardshrinkBackward", "aclnnSoftshrinkBackward", "aclnnHeaviside",
)  # fmt: skip
#: Functions that promote their tensors' dtypes.
MIXED = (*(f for f in BROADCAST if "Threshold" not in f), "aclnnHardsigmoidBackward", "aclnnPrelu",
         "aclnnSoftplusBackward")  # fmt: skip
#: Generated functions, and one more, whose output may be in a row where it has as many elements.
COUNTABLE = (
    "aclnnSwiGlu", "aclnnSwiGluGrad", "aclnnGeluMul", "aclnnSquaredRelu", "aclnnHeaviside", "aclnnFatreluMul",
)  # fmt: skip
#: Functions whose output may have another dtype.
CASTS = {
    "aclnnElu": "out", "aclnnSelu": "out", "aclnnLeakyRelu": "out", "aclnnEluBackward": "gradInput",
    "aclnnLeakyReluBackward": "out", "aclnnSigmoid": "out", "aclnnTanh": "out", "aclnnSigmoidBackward": "gradInput",
    "aclnnTanhBackward": "gradInput", "aclnnSiluBackward": "gradInput", "aclnnAddRelu": "out", "aclnnThreshold": "out",
    "aclnnHardtanhBackward": "out", "aclnnHardsigmoidBackward": "out", "aclnnHardswish": "out",
    "aclnnGeluBackward": "gradInput", "aclnnPrelu": "out", "aclnnCelu": "out", "aclnnErfinv": "out",
    "aclnnMishBackward": "gradInput", "aclnnSoftplus": "out", "aclnnSoftplusBackward": "gradInput",
    "aclnnHardshrink": "out", "aclnnHardshrinkBackward": "gradInput", "aclnnSoftshrink": "out",
    "aclnnSoftshrinkBackward": "gradInput", "aclnnShrink": "out", "aclnnHeaviside": "out", "aclnnGlu": "out",
}  # fmt: skip


def is_of_950(call: Call) -> bool:
    """Whether a call is one of a function that broadcasts and promotes on Ascend950 alone."""
    return (call.function, call.product) == ("aclnnSiluBackward", "Ascend950")


SIZES = (1, 1, 2, 2, 3, 4, 5, 7)
NUMBERS = (0.5, 1.0, 1.5, 0.01, 2.0, 0.0, -0.0, -1.0, -1e-50, 1e-40, float("nan"), float("inf"), float("-inf"), 100.0)


class Generator:
    """Makes calls that are mostly good, and then breaks some of them."""

    def __init__(self, seed: int):
        self.rng = np.random.default_rng(seed)
        self.pool = iter(())

    def random(self) -> float:
        """A number in [0, 1); drawn in blocks, for speed."""
        for value in self.pool:
            return value
        self.pool = iter(self.rng.random(4096).tolist())
        return next(self.pool)

    def chance(self, p: float) -> bool:
        return self.random() < p

    def pick(self, choices: Any) -> Any:
        return choices[int(self.random() * len(choices))]

    def shape(self) -> tuple[int, ...]:
        rank = 9 if self.chance(0.03) else int(self.random() * self.random() * 9)
        shape = [self.pick(SIZES) if rank < 5 else self.pick((1, 1, 1, 2)) for _ in range(rank)]
        if shape and self.chance(0.06):
            shape[int(self.random() * rank)] = 0
        return tuple(shape) if prod(shape) <= 300 else tuple(min(n, 2) for n in shape)

    def call(self) -> Call:
        """A call that is good, but for the rank now and then."""
        function = self.pick(FUNCTIONS)
        product = self.pick(EXISTS[function] if self.chance(0.93) else PRODUCTS)
        call = good(function, product, self.chance(0.3))
        changes: dict[str, Any] = {}
        shapes = self.shapes(call, changes)
        for n, dtype in self.dtypes(call).items():
            call.arguments[n] = self.layout(dtype, shapes[n], n in OUTPUTS[function])
        for name, value in call.arguments.items():
            if isinstance(value, Scalar):
                changes[name] = self.scalar()
                if call.function == "aclnnThresholdBackward" and self.chance(0.3):
                    changes[name] = Scalar("INT8", 0)
                    if self.chance(0.3):
                        changes |= {f"{n}.dtype": "INT64" for n in tensors(function)}
                if name == "alpha" and "AddRelu" in function and self.chance(0.7):
                    changes[name] = Scalar(self.pick(("INT8", "INT32", "UINT8", "BOOL")), 1)
            elif isinstance(value, bool):
                changes[name] = self.chance(0.5)
            elif isinstance(value, float):
                changes[name] = self.pick((1.0, 0.5, 0.75 if "imit" in name else -0.75, 2.0))
        changes |= self.further(call, shapes)
        if "approximateOptional" in call.arguments:
            changes["approximateOptional"] = self.pick((None, "none", "tanh"))
        if isinstance(call.arguments.get("approximate"), str):
            changes["approximate"] = self.pick(("none", "tanh"))
        elif "approximate" in call.arguments:
            changes["approximate"] = int(self.chance(0.5) or (product == "Ascend310P" and self.chance(0.7)))
        return call.but(changes)

    def further(self, call: Call, shapes: dict[str, tuple[int, ...]]) -> dict[str, Any]:
        """The tensors with a shape or a dtype of their own, and what goes with them."""
        function, changes = call.function, dict[str, Any]()
        if "clampMode" in call.arguments:
            changes["clampMode"] = int(self.chance(0.5))
        if "training" in call.arguments:
            changes |= {"training": self.chance(0.1), "noise": self.layout(call["self"].dtype, shapes["self"], False)}
        if "groupIndexOptional" in call.arguments:
            groups = Tensor("INT64", (self.pick((1, 2, 3, 7)),))
            changes["groupIndexOptional"] = groups if self.chance(0.6) else None
        if "weightOptional" in call.arguments:
            rows = shapes["x"][:-1]
            weight = self.layout("FLOAT", (*rows, 1) if self.chance(0.5) else rows, False)
            changes["weightOptional"] = weight if self.chance(0.6) else None
        if function == "aclnnFatreluMul":
            changes["threshold"] = Tensor(call["input"].dtype, (1,) if self.chance(0.7) else ())
        return changes

    def shapes(self, call: Call, changes: dict[str, Any]) -> dict[str, tuple[int, ...]]:
        """The tensors' shapes, which fit together; `dim` goes to the changes."""
        function, shape = call.function, self.shape()
        shapes = dict.fromkeys(tensors(function), shape)
        if function in WHOLE:
            shape = shape or (2,)
            if function in ("aclnnGeluMul", "aclnnFatreluMul"):
                shape = shape if len(shape) > 1 else (2, *shape)
            at = int(self.random() * len(shape)) if "dim" in call.arguments else len(shape) - 1
            if (
                function in GENERATED
                and call.product == "Ascend310P"
                and prod(shape) < 40
                and function.startswith("aclnnSwiGlu")
            ):
                shape = tuple(n * 32 if k == at else n for k, n in enumerate(shape))
            if "dim" in call.arguments:
                changes["dim"] = at - len(shape) * self.chance(0.5)
            whole = tuple(n * 2 if k == at else n for k, n in enumerate(shape))
            shapes = {n: whole if n in WHOLE[function] else shape for n in shapes}
        if (function in BROADCAST or is_of_950(call)) and self.chance(0.4):
            first, second = INPUTS[function]
            thin = tuple(1 if self.chance(0.4) and n else n for n in shape)
            name = second if function == "aclnnInplaceAddRelu" else self.pick((first, second))
            shapes[name] = thin[self.chance(0.5) * (len(thin) > 0 and shape[0] == 1) :]
            shapes[OUTPUTS[function][0]] = tuple(np.broadcast_shapes(shapes[first], shapes[second]))
        if function in COUNTABLE and self.chance(0.1):
            shapes["out"] = (prod(shapes["out"]),)
        if "weight" in shapes:
            shapes["weight"] = (shape[1] if len(shape) > 1 and self.chance(0.7) else 1,)
        return shapes

    def dtypes(self, call: Call) -> dict[str, str]:
        """The tensors' dtypes, most often one for all."""
        function, names = call.function, tensors(call.function)
        found = dict.fromkeys(names, self.pick(listed(call) or ("FLOAT",)))
        is_mixed = function in MIXED or is_of_950(call)
        if self.chance(0.3) and (is_mixed or len(INPUTS[function]) == 1):
            for n in INPUTS[function]:
                found[n] = self.pick(listed(call, n) or ("FLOAT",))
            if is_mixed:
                out = promoted(*(found[n] for n in INPUTS[function]))
                found[OUTPUTS[function][0]] = out or "FLOAT"
        if "GeluBackward" in function and self.chance(0.1):
            found[self.pick(names[:2])] = self.pick((*INTEGERS, "BOOL"))
        if function in CASTS and self.chance(0.15):
            found[CASTS[function]] = self.pick(listed(call) if self.chance(0.6) else (*FLOATS, *COMPLEX))
        return found

    def scalar(self) -> Scalar:
        dtype = self.pick(("FLOAT", "FLOAT", "DOUBLE", *SCALARS))
        if dtype in COMPLEX and self.chance(0.7):
            dtype = "FLOAT"
        value = self.pick(NUMBERS[:5] if self.chance(0.6) else NUMBERS)
        if dtype in FLOATS or dtype.startswith("FLOAT8"):
            return Scalar(dtype, value)
        if dtype in COMPLEX:
            return Scalar(dtype, complex(value, 1))
        value = value if np.isfinite(value) else 3
        return Scalar(
            dtype, abs(int(value)) if dtype.startswith("U") else bool(value) if dtype == "BOOL" else int(value)
        )

    def layout(self, dtype: str, shape: tuple[int, ...], is_output: bool) -> Tensor:
        """Any view, and for inputs also one that shows elements twice."""
        kind = self.random()
        offset = int(self.random() * 6) if self.chance(0.3) else 0
        if kind < 0.5 or not shape:
            return Tensor(dtype, shape, None, offset)
        order = list(range(len(shape)))
        if kind < 0.8:
            order = order[::-1] if self.chance(0.5) else order[1:] + order[:1]
        steps, extent = [0] * len(shape), 1
        for axis in reversed(order):
            extent *= self.pick((1, 2, 3)) if kind > 0.7 else 1
            steps[axis] = extent
            extent *= max(shape[axis], 1)
        if kind > 0.93 and not is_output:
            steps[int(self.random() * len(shape))] = 0
        return Tensor(dtype, shape, tuple(steps), offset)

    def broken(self, call: Call) -> Call:
        """A few random changes, not all of which are faults, or one that a certain check must reject."""
        if self.chance(0.4) and call.product in EXISTS[call.function]:
            ways = breakers(call.function, call.product, call.document)
            broken = good(call.function, call.product, call.document).but(self.pick(self.pick(list(ways.values()))))
            return broken.but(self.change(broken)) if self.chance(0.2) else broken
        for _ in range(1 + self.chance(0.3)):
            call = call.but(self.change(call))
        return call

    def change(self, call: Call) -> dict[str, Any]:
        name = self.pick(list(call.arguments))
        value = call[name]
        if isinstance(value, Scalar):
            if self.chance(0.3):
                return {name: None}
            if self.chance(0.4):
                return {name: Scalar("COMPLEX64", 1 + 1j)}
            return {name: Scalar(self.pick(("FLOAT", "INT8", "DOUBLE")), -1)}
        if isinstance(value, str):
            return {name: self.pick((None, "none", "tanh", "erf", "", "Tanh"))}
        if isinstance(value, float):
            return {name: self.pick((-0.75, 0.0, -1.0, 3.0))} if "imit" in name else {}
        if isinstance(value, bool) or value is None:
            return {}
        if isinstance(value, int):
            return {name: self.pick((-1, 0, 1, 2, 3, -9, 9, 1 << 40, -(1 << 63)))}
        kind = int(self.random() * 12)
        shape = value.shape
        if kind == 0:
            return {name: None}
        if kind == 1:
            return {f"{name}.dtype": self.pick(DTYPES)}
        if kind == 2:
            dtype = self.pick(DTYPES)
            return {f"{n}.dtype": dtype for n in tensors(call.function) if call[n]}
        if kind == 3:
            at = int(self.random() * (len(shape) + 1))
            other = self.pick(((*shape, 1), shape[1:], (*shape[:at], self.pick((0, 1, 2, 3, 6)), *shape[at + 1 :])))
            return {f"{name}.shape": other, f"{name}.strides": None}
        if kind == 4:
            change = {}
            for n in tensors(call.function):
                if t := call[n]:
                    rank = self.pick((0, 9, 9)) if n == tensors(call.function)[0] else None
                    first = call[tensors(call.function)[0]]
                    base = change.get(f"{tensors(call.function)[0]}.shape") if first else None
                    extra = (1,) * (9 - len(t.shape)) if rank == 9 or base else ()
                    change |= {f"{n}.shape": extra + t.shape if extra else (), f"{n}.strides": None}
            return change
        if kind == 5:
            return {f"{name}.format": self.pick(list(FORMATS))}
        if kind == 6:
            return {f"{name}.is_destroyed": True} if self.chance(0.5) else {f"{name}.is_null": True}
        if kind == 7:
            return {f"{name}.storage": (int(self.random() * (value.reach + 3)), 1)}
        if kind == 8:
            return {f"{name}.room": int(self.random() * 2 * value.reach * ITEMSIZE.get(value.dtype, 1))}
        if kind == 9 and shape:
            steps = list(value.steps)
            steps[int(self.random() * len(shape))] = self.pick((0, 1, 2))
            return {f"{name}.strides": tuple(steps)}
        return self.shared(call)

    def shared(self, call: Call) -> dict[str, Any]:
        """An output on the memory of another tensor: the same view, or one that is a little off."""
        out, other = self.pick(OUTPUTS[call.function]), self.pick(tensors(call.function))
        a, b = call[out], call[other]
        if out == other or not (a and b):
            return {}
        change = {f"{out}.memory": "m", f"{other}.memory": "m"}
        if a.shape == b.shape and self.chance(0.7):
            change |= {f"{out}.strides": b.strides, f"{out}.offset": b.offset, f"{out}.start": b.start}
        if self.chance(0.5):
            change[f"{out}.start"] = 16 * int(self.random() * 8)
        return change


def examine(call: Call, sample: bool, surroundings: str = "as it is") -> tuple[str, str]:
    """Make a call: the row that decided, and the answer's fault, if any."""
    somewhere = SURROUNDINGS[surroundings]
    wrong = faults(call)
    expected = wrong[0].status if wrong else SUCCESS
    live = somewhere(lambda: Live(call))
    with live.judged():
        (code, size, executor), message = somewhere(lambda: (live.first(), aclnn.aclGetRecentErrMsg()))
    first = wrong[0].name if wrong else "success"
    if code != expected:
        return first, f"status {code}, but the model says {expected}: {message}"
    if not live.is_unchanged():
        return first, "phase one wrote"
    if code != SUCCESS:
        return first, "" if executor is None and message else "no message, or an executor"
    if size:
        return first, f"workspaceSize {size}"
    if code := somewhere(lambda: live.second(size, executor)):
        return first, f"phase two: {code} {aclnn.aclGetRecentErrMsg()}"
    if strays := live.strays():
        return first, f"written outside the view: {strays}"
    reads_nothing = any(call[n].size == 0 for n in INPUTS[call.function]) or call.arguments.get("groupIndexOptional")
    if (missing := live.unwritten()) and not reads_nothing:  # or by chance the very number: another fill tells
        again = Live(call, fill=0x3C)
        with again.judged():
            _, size, executor = again.first()
        if again.second(size, executor) or missing & again.unwritten():
            return first, f"not written: {missing & again.unwritten()}"
    if sample and all(call[n].dtype in NUMPY for n in OUTPUTS[call.function]):
        with live.judged():
            same, near = functional(live), functional(live, backend="reference")
        for n, exact, close in zip(OUTPUTS[call.function], same, near, strict=True):
            # Integers beside floats are computed in another precision than the promoted floats.
            is_mixed = {call[i].dtype for i in INPUTS[call.function]} & {*INTEGERS, "BOOL"} and exact.dtype.kind != "i"
            if not (is_close if is_mixed else same_bits)(exact, live.view(n)):
                return first, f"{n} is {live.view(n)}, the Python function says {exact}"
            if not is_close(exact, close):
                return first, f"{n} is {live.view(n)}, the reference says {close}"
    return first, ""


@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@given(st.integers(0, 2**32), st.integers(0, 3), st.sampled_from(list(SURROUNDINGS)))
def test_random_calls(seed: int, breaks: int, surroundings: str) -> None:
    generator = Generator(seed)
    call = generator.call()
    for _ in range(breaks):
        call = call.but(generator.change(call))
    _, wrong = examine(call, seed % 4 == 0, surroundings)
    assert not wrong, (wrong, surroundings, call)


def breaking(function: str, row: str) -> Iterator[Call]:
    """Calls that this row decides, on every product. Without the function, a product decides by itself."""
    if row == "product":
        yield from (good(function, product, False) for product in PRODUCTS if product not in EXISTS[function])
    for product, document in product_of(EXISTS[function], (False, True)):
        for found, ways in breakers(function, product, document).items():
            if found.name == row:
                yield from (good(function, product, document).but(way) for way in ways)


@pytest.mark.slow
def test_100_000_random_calls() -> None:
    generator, seen, wrong = Generator(2026), Counter(), []
    statuses: Counter[int] = Counter()
    by_name = {(f, row.name): row.status for f in FUNCTIONS for row in rows(f)}

    def judge(call: Call, sample: bool) -> None:
        row, fault = examine(call, sample, generator.pick(list(SURROUNDINGS)))
        seen[call.function, row] += 1
        statuses[by_name.get((call.function, row), SUCCESS)] += 1
        if fault:
            wrong.append((call.function, row, fault, call))

    for k in range(100_000):
        call = generator.call()
        judge(generator.broken(call) if generator.chance(0.62) else call, k % 20 == 0)
    for function, row in [key for key in by_name if seen[key] < 2]:  # chance seldom finds a row among the many
        for call in islice(cycle(breaking(function, row)), 4):
            judge(call, False)
    print(dict(statuses))
    for function, row in [*((f, "success") for f in FUNCTIONS), *by_name]:
        print(f"{seen[function, row]:6} {function}: {row}")
    kinds = Counter((f, row, fault[:60]) for f, row, fault, _ in wrong)
    assert not wrong, "\n".join([f"{len(wrong)} wrong", *(f"{n} {kind}" for kind, n in kinds.most_common(40))])
    minimum = {SUCCESS: 25_000, NULL: 5000, INVALID: 25_000, NO_KERNEL: 450, TILING: 300, NOT_CONFIGURED: 30}
    assert {code for code, count in minimum.items() if statuses[code] < count} == set()
    assert statuses.keys() == minimum.keys()
    assert min(seen[key] for key in by_name) >= 2
