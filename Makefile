# Targets install everything that they need in .venv and target/.

PYTHON := $(shell for python in python3.13 python3.12 python3.11 python3; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && echo $$python && break; done)
BIN := .venv/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
RUST := Cargo.toml Cargo.lock $(shell find rust -name '*.rs' -o -name Cargo.toml)

# One pytest process per core. Each file runs in one process, since its tests share fixtures.
SHARED := --numprocesses=logical --maxprocesses=8 --dist=loadfile --no-loadscope-reorder

export PYO3_PYTHON := $(CURDIR)/$(BIN)/python
export VIRTUAL_ENV := $(CURDIR)/.venv

.PHONY: help demo test test-all lint bench fuzz sanitize audit wheel docs pictures test-rust lint-rust lint-python
.DEFAULT_GOAL := help

help: ## Print this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

demo: .venv/built ## Run a dozen agents on the embedded suite: the table, the guide and a page
	$(BIN)/permove run embedded --limit 160 -a dijkstra astar 'wastar(gamma={0.2,0.5})' 'rta(d={1,3})' 'lrta(d={1,3})' \
		'klrta(k={10,100})' 'rtaa(k={10,100})' --out runs/demo
	$(BIN)/permove guide runs/demo
	$(BIN)/permove report runs/demo --format html -o runs/demo.html
	@echo "Open $(CURDIR)/runs/demo.html in a browser to see the plots of this run."

# Build the Rust tests while pip and maturin set up the package, since neither alone uses two cores.
test: ## Run all checks and all tests except the slow ones
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=line test-rust lint
	$(BIN)/pytest $(SHARED) -m "not slow"
	@echo "Tests marked slow were not run; \`make test-all\` runs them too."

test-all: test ## Run all checks and all tests
	$(BIN)/pytest $(SHARED) -m slow

# Without MAKEFLAGS, since rustdoc warns about a job server that it cannot use.
test-rust: lint-rust
	MAKEFLAGS= cargo test --locked -p permove-core

lint: lint-rust lint-python ## Run only the checks: formatting, lints, types, stubs

lint-rust: | $(BIN)/python
	cargo fmt --all --check
	cargo clippy --locked --workspace --all-targets -- -D warnings

lint-python: .venv/built
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest permove._core

bench: .venv/built ## Measure the core and the overhead of Python; fail if a target is missed
	cargo bench --locked -p permove-core
	$(BIN)/pytest tests/bench

pictures: .venv/built ## Draw the pictures of the README from real runs
	$(BIN)/python pictures/make.py

# Each target takes this time, with other inputs each time.
FUZZ_SECONDS := 20

fuzz: .venv/built ## Feed damaged files and messages to all readers for some minutes, and validate 10⁸ moves
	PERMOVE_FUZZ_SECONDS=$(FUZZ_SECONDS) cargo test --locked -p permove-core --test fuzz -- --nocapture --test-threads=1
	PERMOVE_FUZZ_SECONDS=$(FUZZ_SECONDS) $(BIN)/pytest tests/test_fuzz.py -s
	PERMOVE_VALIDATED_MOVES=100000000 $(BIN)/pytest tests/test_paths.py -s

# The sanitizer needs a nightly toolchain. It checks the unsafe code: libraries, heartbeats, mapped files, the system.
sanitize: ## Run the tests of unsafe code under the address sanitizer
	RUSTFLAGS=-Zsanitizer=address cargo +nightly test --locked -p permove-core --target-dir target/sanitizer \
		--target $(shell rustc -vV | sed -n 's/host: //p') --lib -- plugins pdb::tests::a_ system clock checksum

audit: ## Check the licences, sources and versions of dependencies; needs cargo-deny and pip-audit
	cargo deny check bans licenses sources
	pip-audit --require-hashes --disable-pip -r requirements.lock

docs: .venv/docs .venv/built ## Build the documentation in target/site
	cargo doc --quiet --locked --no-deps -p permove-core
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict --site-dir target/site
	cp -r target/doc target/site/rust
	@echo "Open $(CURDIR)/target/site/index.html, or run $(BIN)/mkdocs serve."

# Build the wheel from the source distribution, so that both are complete. Its files have old dates, so cargo would take
# what it has built from other sources for up to date: our own crates are always built again.
wheel: .venv/release ## Build a source distribution and a wheel in dist/, and try the wheel in an empty environment
	rm -rf dist target/wheel/release/.fingerprint/permove-*
	$(BIN)/maturin sdist --out dist
	PATH="$(CURDIR)/$(BIN):$$PATH" CARGO_TARGET_DIR="$(CURDIR)/target/wheel" $(PIP) wheel --no-deps \
		--no-build-isolation --wheel-dir dist dist/*.tar.gz
	$(BIN)/abi3audit --strict dist/*.whl
	$(BIN)/python .ci/try_wheel.py dist/*.whl

# The package with its compiled core, which is rebuilt if a source of the core has changed.
.venv/built: .venv/tools pyproject.toml $(RUST)
	PATH="$(CURDIR)/$(BIN):$$PATH" $(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

# The tools for releases and for the documentation, which agree with the lock file of the other tools.
.venv/release .venv/docs: .venv/%: requirements-%.lock .venv/tools
	$(PIP) install --require-hashes -r $<
	@touch $@

# The Python tools, with the versions in the lock file.
.venv/tools: requirements.lock | $(BIN)/python
	$(PIP) install --require-hashes -r requirements.lock
	@touch $@

$(BIN)/python:
	@command -v cargo >/dev/null || { echo "permove needs a Rust toolchain: install it as https://rustup.rs says."; exit 1; }
	@[ -n "$(PYTHON)" ] || { echo "permove needs Python 3.11 or newer: install it as https://www.python.org says."; exit 1; }
	$(PYTHON) -m venv .venv
