# Everything a fresh clone needs is set up by the targets themselves, in .venv and target/.

PYTHON := $(shell for python in python3.13 python3.12 python3.11 python3; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && echo $$python && break; done)
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
RUST := Cargo.toml Cargo.lock $(shell find rust -name '*.rs' -o -name Cargo.toml)

# Tests are shared by a process for each core, file by file, since the tests of a file share what they have made.
SHARED := --numprocesses=logical --maxprocesses=8 --dist=loadfile --no-loadscope-reorder

export PYO3_PYTHON := $(CURDIR)/$(BIN)/python
export VIRTUAL_ENV := $(CURDIR)/.venv

.PHONY: help demo test test-all lint bench test-rust lint-rust lint-python
.DEFAULT_GOAL := help

help: ## Print this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

demo: .venv/built ## Run a dozen agents on a sample of the embedded suite and print the trade-off
	$(BIN)/permove run embedded --limit 160 -a dijkstra astar 'wastar(gamma={0.2,0.5})' 'rta(d={1,3})' 'lrta(d={1,3})' \
		'klrta(k={10,100})' 'rtaa(k={10,100})'

# The Rust tests are built while pip and maturin set up the package: neither keeps two cores busy alone.
test: ## Run all checks and all tests except the slow ones
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=line test-rust lint
	$(BIN)/pytest $(SHARED) -m "not slow"
	@echo "Tests marked slow were not run; \`make test-all\` runs them too."

test-all: test ## Run all checks and all tests
	$(BIN)/pytest $(SHARED) -m slow

# rustdoc would warn of the job server of make, which only makes below it can use.
test-rust: lint-rust
	MAKEFLAGS= cargo test --locked -p permove-core

lint: lint-rust lint-python ## Run the checks alone: formatting, lints, types, stubs

lint-rust: | $(BIN)/python
	cargo fmt --all --check
	cargo clippy --locked --workspace --all-targets -- -D warnings

lint-python: .venv/built
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest permove._core

bench: .venv/built ## Measure the core and what Python adds to it; fail if a target is missed
	cargo bench --locked -p permove-core
	$(BIN)/pytest tests/bench

# The package with its compiled core, built anew when a source of the core has changed.
.venv/built: .venv/tools pyproject.toml $(RUST)
	PATH="$(CURDIR)/$(BIN):$$PATH" $(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

# The Python tools, exactly as the lock file has them.
.venv/tools: requirements.lock | $(BIN)/python
	$(PIP) --require-hashes -r requirements.lock
	@touch $@

$(BIN)/python:
	@command -v cargo >/dev/null || { echo "permove needs a Rust toolchain: install it as https://rustup.rs says."; exit 1; }
	@[ -n "$(PYTHON)" ] || { echo "permove needs Python 3.11 or newer: install it as https://www.python.org says."; exit 1; }
	$(PYTHON) -m venv .venv
