# make run   sets everything up, then serves the app: HOST=0.0.0.0 for other machines too
# make serve the same with WORKERS=2 processes behind nginx or Caddy
# make test  sets everything up, a browser included, then runs every test
# make check format, lint, strict types;  make bench  budgets, measured
# make experiment  trains and measures all that the app shows, and writes docs/findings.md again
# make soak  everything at once for MINUTES=30: does anything grow, or get lost?

PYTHON ?= python3
HOST ?= 127.0.0.1
PORT ?= 8501
VENV := .venv
BIN := $(VENV)/bin
WORKERS ?= 2
MINUTES ?= 30

.PHONY: run serve lock test check bench soak experiment clean

run: $(VENV)/.run-ready
	$(BIN)/python -m alibi_viz serve --host $(HOST) --port $(PORT)

serve: $(VENV)/.run-ready
	$(BIN)/python -m alibi_viz serve --host $(HOST) --port $(PORT) --workers $(WORKERS)

test: $(VENV)/.dev-ready
	$(BIN)/python tests/browser/chromium.py --install
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -m "not browser" -n auto --maxprocesses 4 $(PYTEST_ARGS)
	$(BIN)/python -m pytest -m browser -n 2 --dist worksteal $(PYTEST_ARGS)

check: $(VENV)/.dev-ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

bench: $(VENV)/.dev-ready
	$(BIN)/python tests/browser/chromium.py --install
	$(BIN)/python -m benchmarks

experiment: $(VENV)/.dev-ready
	$(BIN)/python -m alibi_viz experiment --workers 2 --threads 1
	$(BIN)/python -m alibi_viz tables --into docs/findings.md

soak: $(VENV)/.dev-ready
	$(BIN)/python -m benchmarks.soak --minutes $(MINUTES)

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache

# Debian's python3 has venv without pip in it; virtualenv brings its own.
$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.exit("ALiBi Viz needs Python 3.11 or newer; this is %s. Name another: make PYTHON=python3.12 ..." % sys.version.split()[0] if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV) || ($(PYTHON) -m pip install --user virtualenv && $(PYTHON) -m virtualenv $(VENV))
	touch $@

PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

# Everything by its hash but torch, whose CPU and CUDA builds are different files of one version.
$(VENV)/.run-ready: requirements.txt requirements.lock $(VENV)/.created
	$(PIP) --require-hashes -r requirements.lock
	$(PIP) $$(grep '^torch==' requirements.txt)
	touch $@

$(VENV)/.dev-ready: requirements-dev.txt $(VENV)/.run-ready
	$(PIP) -r requirements-dev.txt
	touch $@

# What the pinned packages need in turn, for every system; torch brings its own.
lock: $(VENV)/.dev-ready
	$(BIN)/uv pip compile requirements.txt --universal --python-version 3.11 --generate-hashes \
	  --no-header --no-emit-index-url --no-annotate --quiet --output-file requirements.lock \
	  $(foreach name,torch triton cuda-bindings cuda-pathfinder cuda-toolkit nvidia-cublas nvidia-cuda-cupti \
	    nvidia-cuda-nvrtc nvidia-cuda-runtime nvidia-cudnn-cu13 nvidia-cufft nvidia-cufile nvidia-curand \
	    nvidia-cusolver nvidia-cusparse nvidia-cusparselt-cu13 nvidia-nccl-cu13 nvidia-nvjitlink \
	    nvidia-nvshmem-cu13 nvidia-nvtx,--no-emit-package $(name))
