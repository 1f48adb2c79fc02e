"""Each run of the tests compiles anew, into a folder of its own."""

import os
import shutil
import tempfile

import pytest


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # workers inherit the environment
        os.environ["ACTGRAD_CACHE_DIR"] = tempfile.mkdtemp(prefix="actgrad-tests-")


def pytest_unconfigure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        shutil.rmtree(os.environ["ACTGRAD_CACHE_DIR"], ignore_errors=True)
