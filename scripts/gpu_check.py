#!/usr/bin/env python3
"""The Triton backend on a GPU: is it right, and how fast? See benchmarks/gpu_check.py, or --help."""

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from benchmarks.gpu_check import main

    sys.exit(main())
