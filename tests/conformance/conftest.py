"""Fixtures of several files: a delivery with right outputs, and a copy of it that a test may change."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support.deliveries import right_delivery


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return right_delivery(tmp_path_factory.mktemp("delivery") / "d")


@pytest.fixture
def folder(original: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(original, tmp_path / "d"))
