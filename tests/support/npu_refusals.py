"""Cases for torch_npu's unmodified wheel: a program catches the error of an operator that actgrad lacks, and goes on.

Each runs in a process of its own, `python npu_refusals.py NAME`. Every number that the program reads must be right.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch_npu
from torch.nn import functional

#: torch_npu's thread calls phase two (1), both phases (2), or there is no such thread (0).
QUEUE = os.environ.get("TASK_QUEUE_ENABLE", "1")

#: The wheel finds a function, whose first phase fails.
PHASE_ONE: dict[str, Callable[[], Any]] = {
    "qr": lambda: torch.linalg.qr(torch.ones(3, 3).npu()),
    "cdist": lambda: torch.cdist(torch.ones(3, 2).npu(), torch.ones(4, 2).npu()),
    "interpolate": lambda: functional.interpolate(torch.ones(1, 1, 2, 2).npu(), scale_factor=2),
    "elu of integers": lambda: functional.elu(torch.ones(3, dtype=torch.int32).npu()),
}
#: The wheel queues an operator of the older interface.
OLDER: dict[str, Callable[[], Any]] = {
    "norm": lambda: torch.norm(torch.ones(3).npu(), float("inf")),
    "npu_one_hot": lambda: torch_npu.npu_one_hot(torch.ones(3, dtype=torch.int32).npu(), depth=5),
    "npu_sort_v2": lambda: torch_npu.npu_sort_v2(torch.ones(3).npu()),
}
#: The second phase fails.
PHASE_TWO: dict[str, Callable[[], Any]] = {
    "embedding": lambda: functional.embedding(torch.tensor([7]).npu(), torch.ones(2, 2).npu()),
}
#: How torch_npu says that a read failed.
REASON = "is not in actgrad|Elu: self is INT32|an index is 7|ACL stream synchronize failed, error code:500003"


def refused(call: Callable[[], Any]) -> None:
    """The call fails, at once or at the synchronize that follows."""
    try:
        call()
        torch.npu.synchronize()
    except RuntimeError:
        return
    pytest.fail("no error")


def reads(x: Any) -> dict[str, Callable[[], None]]:
    """Ways to read numbers; each compares them with the right ones."""
    wanted = torch.arange(4.0) + 1

    def same(found: Any) -> None:
        assert torch.equal(found, wanted), found

    def later() -> None:
        pinned = torch.empty(4, pin_memory=True)
        pinned.copy_(x + 1, non_blocking=True)
        torch.npu.current_stream().synchronize()
        same(pinned)

    return {
        "cpu": lambda: same((x + 1).cpu()),
        "item": lambda: same(torch.tensor([(x + 1)[k].item() for k in range(4)])),
        "tolist": lambda: same(torch.tensor((x + 1).tolist())),
        "to": lambda: same((x + 1).to("cpu")),
        "copy_": lambda: same(torch.empty(4).copy_(x + 1)),
        "numpy": lambda: same(torch.from_numpy((x + 1).cpu().numpy())),
        "non_blocking": later,
    }


def goes_on(call: Callable[[], Any]) -> None:
    """The error is the call's own: every later number is there."""
    x = torch.arange(4.0).npu()
    refused(call)
    for _ in range(2):
        for read in reads(x).values():
            read()


def stops(call: Callable[[], Any]) -> None:
    """The wheel's thread has ended: every later read fails, and says why."""
    x = torch.arange(4.0).npu()
    torch.npu.synchronize()
    refused(call)
    for _ in range(2):
        for read in reads(x).values():
            with pytest.raises(RuntimeError, match=REASON):
                read()
        with pytest.raises(RuntimeError, match=REASON):
            torch.npu.synchronize()


def one_read_fails(call: Callable[[], Any]) -> None:
    """The next one; later ones are right."""
    x = torch.arange(4.0).npu()
    for read in reads(x).values():
        refused(call)
        with pytest.raises(RuntimeError):
            (x + 1).cpu()
        read()


def every_phase_one() -> None:
    for call in PHASE_ONE.values():
        goes_on(call)


def every_older() -> None:
    for call in OLDER.values():
        one_read_fails(call)


def training() -> None:
    """A loop that catches what fails. Its losses are those on the CPU, or there are none."""
    torch.manual_seed(0)
    x, y = torch.randn(8, 3), torch.randn(8, 1)
    models = [torch.nn.Linear(3, 1) for _ in range(2)]
    models[1].load_state_dict(models[0].state_dict())
    models[1].npu()
    inputs, losses = [(x, y), (x.npu(), y.npu())], []
    for step in range(4):
        values = []
        for model, (given, wanted) in zip(models, inputs, strict=True):
            if step == 1 and given.is_npu:
                rows = model(given).t()[None]
                refused(lambda rows=rows: torch.cdist(rows, rows))
            try:
                loss = functional.mse_loss(model(given), wanted)
                loss.backward()
                with torch.no_grad():
                    for weight in model.parameters():
                        weight -= 0.1 * weight.grad
                        weight.grad = None
                values.append(loss.item())
            except RuntimeError:
                values.append(None)
        losses.append(values)
    for step, (wanted, found) in enumerate(losses):
        if QUEUE == "2" and step >= 1:
            assert found is None
        else:
            assert found == pytest.approx(wanted, rel=1e-5)


def case(name: str) -> Callable[[], None]:
    """What one call does with the queue."""
    if name in OLDER:
        rule = one_read_fails if QUEUE == "0" else stops
        return lambda: rule(OLDER[name])
    call = PHASE_ONE.get(name) or PHASE_TWO[name]
    is_told = QUEUE == "0" or (name in PHASE_ONE and QUEUE == "1")
    return lambda: (goes_on if is_told else stops)(call)


#: By queue; each operator that ends the wheel's thread needs a process of its own.
CASES = {
    "0": {"phase one": every_phase_one, "older": every_older, "embedding": case("embedding"), "training": training},
    "1": {"phase one": every_phase_one, "training": training, **{name: case(name) for name in (*OLDER, *PHASE_TWO)}},
    "2": {"training": training, **{name: case(name) for name in (*PHASE_ONE, *OLDER, *PHASE_TWO)}},
}

if __name__ == "__main__":
    torch.ones(1).npu()
    torch.npu.synchronize()
    CASES[QUEUE][sys.argv[1]]()
    print("done", flush=True)
    os._exit(0)  # the wheel waits for its thread, which may have ended
