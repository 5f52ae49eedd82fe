# make demo   invented sample rules, read in and on the page (PORT=8600 for another port)
# make test   everything that is checked before a change is taken

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV   ?= .venv
# The tests need PyTorch. Where plain "pip install torch" brings a large CUDA build, PyTorch's own install page names an index with the
# CPU build: make test TORCH_INDEX=<that address>
TORCH       ?= torch==2.13.0
TORCH_INDEX ?=
PORT ?=

BIN  := $(VENV)/bin
PIP  := $(BIN)/python -m pip --disable-pip-version-check --quiet
DEMO := data/demo

.PHONY: demo test lint browser clean
.DELETE_ON_ERROR:

demo: $(VENV)/.program
	@$(BIN)/fundstelle corpora add sample_corpora --index $(DEMO)
	@$(BIN)/fundstelle serve --index $(DEMO) --anchors sample_corpora/anchors.toml --questions sample_corpora/questions.toml --tour sample_corpora/tour.toml $(if $(PORT),--port $(PORT))

test: lint browser
	@$(BIN)/pytest -n 2 --dist worksteal

browser:
	@command -v chromium >/dev/null || { \
	  if [ "$$(id -u)" = 0 ]; then become=; else become=sudo; fi; \
	  echo "Installing the browser that the tests of the page drive …" >&2; \
	  $$become apt-get update -qq && $$become env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null; \
	} || { echo "The tests of the page need the program 'chromium', and it could not be installed here. As root: apt-get install chromium" >&2; exit 1; }

lint: $(VENV)/.tests
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(BIN)/lint-imports

$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Needs Python 3.11 or later, found: $$($(PYTHON) --version 2>&1). Install it (apt-get install python3.11) or name it: make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "This Python cannot make a virtual environment. On Debian and Ubuntu: apt-get install python3-venv (or python3.11-venv)" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.program: $(VENV)/.python pyproject.toml
	@echo "Installing (about 1 GB the first time) …" >&2
	@$(PIP) install --editable .
	@touch $@

$(VENV)/.tests: $(VENV)/.python pyproject.toml
	@echo "Installing with the test tools (about 3 GB the first time) …" >&2
	@$(PIP) install $(if $(TORCH_INDEX),--index-url $(TORCH_INDEX)) "$(TORCH)"
	@$(PIP) install --editable ".[test]"
	@touch $@ $(VENV)/.program

clean:
	rm -rf $(VENV) $(DEMO) build *.egg-info
