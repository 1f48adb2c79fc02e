"""The example of docs/new-operator.md passes its own check."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "new-operator.md"


def test_the_first_example_passes_its_own_check(tmp_path: Path) -> None:
    code = re.search(r"```python\n(.*?)```", PAGE.read_text(), re.S)
    assert code is not None
    definition = (
        code[1].partition("\nx = np.linspace")[0].replace("import torch\n", "").replace("import actgrad.torch\n", "")
    )
    file = tmp_path / "my_operators.py"
    file.write_text(definition)
    command = [sys.executable, "-m", "actgrad", "check", "my_swish", "--operators", str(file)]
    run = subprocess.run(command, check=False, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "ACCEPTED" in run.stdout
