# make run   sets everything up, then serves the app: HOST=0.0.0.0 for other machines too
# make serve the same with WORKERS=2 processes behind nginx or Caddy
# make test  sets everything up, a browser included, then runs every test
# make check format, lint, strict types;  make bench  budgets, measured

PYTHON ?= python3
HOST ?= 127.0.0.1
PORT ?= 8501
VENV := .venv
BIN := $(VENV)/bin
WORKERS ?= 2

.PHONY: run serve test check bench clean

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

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache

# Debian's python3 has venv without pip in it; virtualenv brings its own.
$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.exit("ALiBi Viz needs Python 3.11 or newer; this is %s. Name another: make PYTHON=python3.12 ..." % sys.version.split()[0] if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV) || ($(PYTHON) -m pip install --user virtualenv && $(PYTHON) -m virtualenv $(VENV))
	touch $@

$(VENV)/.run-ready: requirements.txt $(VENV)/.created
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	touch $@

$(VENV)/.dev-ready: requirements-dev.txt requirements.txt $(VENV)/.created
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	touch $@ $(VENV)/.run-ready
