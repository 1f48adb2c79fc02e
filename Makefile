# Two commands do all the set-up: `make demo` runs the main job, `make test` the tests. Each makes .venv when missing.
PYTHON ?= python3
TORCH ?= torch==2.13.0
TORCH_NPU ?= torch_npu==2.13.0
BIN := .venv/bin
NATIVE := hatch_build.py $(wildcard src/actgrad/calls/*.[ch])

.PHONY: demo test slow test-npu bench accuracy operators training site dist wheels format clean

demo: .venv/demo
	$(BIN)/actgrad demo

test: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest -n auto

# The last command runs the tests of calls with the extension under AddressSanitizer and UndefinedBehaviorSanitizer.
slow: .venv/dev
	$(BIN)/pytest -n auto -m slow
	$(BIN)/python scripts/sanitize.py

# The unmodified wheel of torch_npu on the C SDK. It has a folder of its own: PyTorch would import it in every test.
test-npu: .venv/dev
	test -d .venv/npu/torch_npu || $(BIN)/python -m pip install --quiet --no-deps --target .venv/npu $(TORCH_NPU) pyyaml \
	    || rm -rf .venv/npu
	$(BIN)/pytest -n auto -m npu tests/ascend/sdk/test_sdk_torch_npu.py tests/ascend/sdk/test_sdk_ggml.py

# Half a minute; python -m benchmarks --help has the rest.
bench: .venv/dev
	$(BIN)/python -m benchmarks run --quick

accuracy: .venv/dev
	$(BIN)/python scripts/accuracy.py --write
	$(BIN)/actgrad check --exhaustive --every 256 --write docs/accuracy.md

operators: .venv/dev
	$(BIN)/python scripts/plots.py
	$(BIN)/python scripts/operators.py --write
	$(BIN)/python scripts/families.py --write
	$(BIN)/python scripts/formulas.py --write
	$(BIN)/python scripts/chips.py --write
	$(BIN)/python scripts/commands.py --write

training: .venv/dev
	$(BIN)/python -m benchmarks training --write

# The documentation. Open site/index.html in a browser; no server is needed.
site: .venv/dev
	$(BIN)/python scripts/site.py site

# The pure wheel and the source archive in the folder dist, checked as a package index checks them.
dist: .venv/release
	ACTGRAD_PURE=1 $(BIN)/python -m build --outdir dist
	$(BIN)/twine check --strict dist/*.tar.gz dist/*.whl

# Wheels with the extension for this machine's processor, one for each Python, in the folder dist. Needs docker.
wheels: .venv/release
	$(BIN)/cibuildwheel --platform linux --output-dir dist
	$(BIN)/twine check --strict dist/*.whl
	for wheel in dist/*manylinux*.whl; do $(BIN)/auditwheel show $$wheel || exit 1; done

format: .venv/dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf .venv dist

.venv/bin/python:
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip

# One stamp per set of packages: an interrupted installation is taken up again.
.venv/demo: pyproject.toml $(NATIVE) | .venv/bin/python
	$(BIN)/python -m pip install --quiet --editable '.[demo,check]'
	touch $@

.venv/dev: pyproject.toml $(NATIVE) | .venv/bin/python
	$(BIN)/python -m pip install --quiet $(TORCH)
	$(BIN)/python -m pip install --quiet --editable '.[demo,check,dev]'
	touch $@ .venv/demo

.venv/release: | .venv/bin/python
	$(BIN)/python -m pip install --quiet 'build>=1.2' 'twine>=6.1' 'auditwheel>=6.1' 'cibuildwheel>=3.2'
	touch $@
