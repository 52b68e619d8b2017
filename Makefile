# All commands of the project; `make` alone lists them. One file, though long: a newcomer finds every command and its set-up in it.
# Needs git, make, g++, Rust (rustup, stable) and Python 3.11 or newer with venv; Node 20 or newer for the TypeScript package.
# Everything else comes from the package registries, except valgrind, which bench-rust-instructions needs.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
MAKEFLAGS += --no-builtin-rules
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:

PYTHON ?= python3
# Other targets that the library is built for.
TARGETS := wasm32-unknown-unknown i686-unknown-linux-gnu thumbv7em-none-eabihf
FUZZ_SECONDS ?= 60
# More JSON files to measure: make bench FILES="a.json b.json"
FILES ?=
# Kernels to measure, by parts of their names: make bench-kernels KERNELS="bits u64"
KERNELS ?=
# Kinds of data to measure, by parts of their names: make bench-rust CASES="logs mesh", make bench-python CASES="records graph",
# make bench-columns CASES="flights trips"
CASES ?=
# A folder of JSON files to measure: make bench-python DATA=DIR, make bench-columns DATA=DIR
DATA ?=
# How much make bench-streams writes, and into which folder
MEGABYTES ?=
FOLDER ?=
# A file in which make bench-columns saves its results, and one that an earlier version saved
SAVE ?=
BEFORE ?=
# Misreadings to try, by parts of their names: make misreadings OF="boundary stream"; files to change, by parts of their paths:
# make mutants OF="ints frame"
OF ?=
# Which part of all mutants make mutants tries: SAMPLE=11/60 is every 60th, without the first 11
SAMPLE ?= $(if $(OF),0/1,0/60)
# QUICK=1 measures small sizes quickly, to check that everything works
QUICK ?=
# PEERS=few leaves out peers that are seldom the best and take minutes to compile
PEERS ?=

# rustup puts cargo here, but a shell opened before the installation does not know.
export PATH := $(PATH):$(HOME)/.cargo/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PYTHONDONTWRITEBYTECODE := 1

TARGET := $(or $(CARGO_TARGET_DIR),target)
VENV := .venv
VENV_READY := $(VENV)/.ready
BENCH_VENV := .venv-bench
COLUMNS_VENV := .venv-bench-columns
ARROW_VENV := .venv-bench-arrow
BENCH := benches/json/Cargo.toml
BENCH_KERNELS := benches/kernels/Cargo.toml
BENCH_RUST := benches/rust/Cargo.toml
BENCH_COLUMNS := benches/columns/Cargo.toml
NO_STD := crates/holdall/no-std/Cargo.toml
COLUMNS_TIMER = $(or $(CARGO_TARGET_DIR),benches/columns/target)/release/holdall-bench-columns
DEMO_DATA := target/demo-data
SERVERS := target/servers
HOLDALL := $(abspath $(TARGET))/release/holdall
CHROMIUM ?= chromium
# The Python code that ruff checks.
PY_TREES := spec/reference demo docs fuzz python js/tests benches/python benches/streams benches/columns benches/arrow benches/size
# The versions of Python to test the package with; skipping a missing one prints a message.
PYTHON_VERSIONS ?= 3.11 3.12 3.13
# Tests of the package to run: make test-package TESTS=python/tests/test_types.py
TESTS ?= python/tests
CARGO_FUZZ_VERSION := 0.13.2
# Tools that cargo compiles, each once.
TOOLS := target/tools/bin
CARGO_FUZZ := $(TOOLS)/cargo-fuzz
CARGO_DENY := $(TOOLS)/cargo-deny
CARGO_LLVM_COV := $(TOOLS)/cargo-llvm-cov
CARGO_MUTANTS := $(TOOLS)/cargo-mutants
CARGO_SEMVER := $(TOOLS)/cargo-semver-checks
CARGO_DENY_VERSION := 0.20.2
CARGO_LLVM_COV_VERSION := 0.9.1
CARGO_MUTANTS_VERSION := 27.1.0
CARGO_SEMVER_VERSION := 0.51.0
PYTEST_COV_VERSION := 7.1.0

.PHONY: help
help: ## List the targets
	@awk 'BEGIN { FS = ":.*## " } /^[a-z0-9-]+:.*## / { printf "  make %-23s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

# ---- use ----

.PHONY: build
build: need-cargo ## Build the command, target/release/holdall
	cargo build --release --locked --package holdall-cli

# The demo builds only the Python package, which includes the command, in a profile that compiles quickly. Its environment has
# only pip, to fetch the data.
DEMO := target/demo-run
DEMO_PYTHON := $(DEMO)/venv/bin/python
DEMO_RUN = PYTHONPATH=$(DEMO) $(DEMO_PYTHON)

.PHONY: demo
demo: need-cargo ## Pack real data and cyclic graphs, recover a damaged file, draw where the bytes are: 1 to 2 minutes
	@echo '[1/5] Build the package and the command (about a minute the first time)'
	@mkdir -p $(DEMO)
	@[ -x $(DEMO_PYTHON) ] || $(PYTHON) -m venv $(DEMO)/venv
	@PYO3_PYTHON=$(CURDIR)/$(DEMO_PYTHON) PYO3_BUILD_EXTENSION_MODULE=1 \
		cargo build --profile demo --locked --package holdall-python
	@rm -rf $(DEMO)/holdall && cp -r python/holdall $(DEMO)/holdall && rm -f $(DEMO)/holdall/*.so
	@cp $(TARGET)/demo/lib_holdall.so $(DEMO)/holdall/_holdall.so
	@printf '\n[2/5] Fetch real data\n\n'
	@$(DEMO_PYTHON) demo/fetch.py --to $(DEMO_DATA) cars.json
	@printf '[3/5] Pack a JSON file, and look into it\n\n'
	@$(DEMO_RUN) demo/files.py $(DEMO_DATA)/cars.json
	@printf '[4/5] Pack syntax trees, in which each node links to its parent, beside pickle\n\n'
	@$(DEMO_RUN) demo/graphs.py
	@printf '\n[5/5] Append to a file, kill the writer, damage the file, recover it\n\n'
	@$(DEMO_RUN) demo/streams.py
	@printf '\nWhere the bytes of the JSON file are\n\n'
	@$(DEMO_RUN) demo/files.py $(DEMO_DATA)/cars.json --map $(DEMO)/cars.html

.PHONY: demo-compare
demo-compare: demo-data develop ## Compare bytes and times with other formats on real JSON and on graphs; FILES="a.json" adds files
	cargo run --release --locked --manifest-path $(BENCH) --example compare -- $(DEMO_DATA)/*.json $(foreach file,$(FILES),$(abspath $(file)))
	@printf '\nSyntax trees, in which each node links to its parent\n\n'
	@$(VENV)/bin/python demo/graphs.py --times

.PHONY: demo-picture
demo-picture: bench-venv ## Measure a real table beside pickle, MessagePack, JSON and Parquet, and draw the picture of the README
	@$(BENCH_VENV)/bin/python demo/fetch.py --to $(DEMO_DATA) flights.csv
	$(BENCH_VENV)/bin/python -m benches.python.flights $(DEMO_DATA)/flights.csv --picture docs/flights.png

# Outputs to read without building anything. The pictures need Chromium.
.PHONY: docs
docs: build demo-data ## Regenerate the outputs in docs/cars; CHROMIUM=chromium-browser names another browser
	@mkdir -p docs/cars
	cd $(DEMO_DATA) && $(HOLDALL) pack cars.json -o cars.hold
	cd $(DEMO_DATA) && $(HOLDALL) schema cars.hold > $(CURDIR)/docs/cars/schema.txt
	cd $(DEMO_DATA) && $(HOLDALL) stat cars.hold > $(CURDIR)/docs/cars/stat.txt
	cd $(DEMO_DATA) && $(HOLDALL) inspect cars.hold | head -n 60 > $(CURDIR)/docs/cars/inspect.txt
	cd $(DEMO_DATA) && $(HOLDALL) stat cars.hold --html -o $(CURDIR)/docs/cars/stat.html
	$(call picture,dark,0)
	$(call picture,light,1)

picture = $(CHROMIUM) --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=1200,872 --log-level=3 \
	--blink-settings=preferredColorScheme=$(2) --screenshot=docs/cars/stat-$(1).png file://$(CURDIR)/docs/cars/stat.html

.PHONY: demo-data
demo-data: $(VENV_READY)
	@$(VENV)/bin/python demo/fetch.py --to $(DEMO_DATA)

# ---- check ----

# Targets that leave a core idle run beside others. Only those of the second lane need the environment of the tools, which the first
# of them makes. Clippy as the compiler of what is tested (a workspace wrapper of cargo) would save 410 s of 3,000 s of processor from nothing; but
# it builds without the optimisations of MIR, whose larger frames overflow a small stack that a build for tests fits.
CARGO_LANE := fmt-check clippy test-rust
TOOLS_LANE := lint-python lint-words test-js test-python test-package-here

.PHONY: test
test: ## Run all lints but rustdoc, and the tests of Rust, the reference decoder and the package on one Python: the checks a change must pass
	@.ci/lanes '$(CARGO_LANE)' '$(TOOLS_LANE)'
	@echo 'make test: all checks and tests passed; make test-all has more'

# What test-all adds. Those that find most in their time come first: continuous integration runs as many as it has time for.
MORE_TESTS := doc check-pythons targets deny fuzz-check semver test-js-runtimes test-js-mutations docs-js test-public-api test-package-others test-byte-order test-32-bits oss-fuzz test-rounds test-mutations
# Test-all runs these beside the others.
MORE_TOOLS_LANE := test-js-runtimes test-js-mutations docs-js test-public-api test-package-others test-rounds test-mutations

.PHONY: test-all
test-all: ## Run test and the rest: other targets, the fuzz targets, other Pythons, CPython's public API alone, laws with ten times the values
	@TIMES=$$(mktemp); export TIMES; trap 'sort --numeric-sort --reverse "$$TIMES"; rm "$$TIMES"' EXIT; \
		$(MAKE) --no-print-directory test && .ci/lanes '$(filter-out $(MORE_TOOLS_LANE),$(MORE_TESTS))' '$(MORE_TOOLS_LANE)'
	@echo 'make test-all: all checks and tests passed'

.PHONY: more-tests
more-tests: ## List what test-all adds
	@echo $(MORE_TESTS)

.PHONY: lint
lint: fmt-check clippy doc lint-python lint-words ## Check formatting, lints, documentation, types and words

# One build for unit tests, laws and the examples of the documentation: with another profile, or without one of the packages, cargo
# would compile most crates again, because their features or those of their dependencies differ.
.PHONY: test-rust
test-rust: need-cargo ## Run the tests of the Rust crates: unit tests, laws and examples
	cargo test --workspace --all-features --locked

.PHONY: test-rounds
test-rounds: need-cargo ## Test the laws with all values; `make test` uses a sample of them
	HOLDALL_ROUNDS=all cargo test --workspace --all-features --tests --locked
	HOLDALL_ROUNDS=all $(MAKE) --no-print-directory test-package-here TESTS="$(ROUNDS_TESTS)"

# The tests of the package that have more to try than in `make test`.
ROUNDS_TESTS = $(shell grep --files-with-matches 'import.* ALL_ROUNDS' python/tests/test_*.py)

# Runs the tests of unsafe code in an interpreter that detects undefined behaviour. Not part of `make test`, because stable Rust
# has no Miri.
.PHONY: miri
miri: need-cargo ## Run the tests of unsafe code in Miri, if nightly Rust has it
	@if ! cargo +nightly miri --version >/dev/null 2>&1; then \
	echo 'not run: Miri is missing; rustup toolchain install nightly --component miri,rust-src' >&2; exit 1; fi
	MIRIFLAGS=-Zmiri-disable-isolation cargo +nightly miri test --package holdall-format --lib -- kernel::borrow kernel::short
	MIRIFLAGS=-Zmiri-disable-isolation cargo +nightly miri test --package holdall --lib -- typed::slots typed::refs
	MIRIFLAGS=-Zmiri-disable-isolation cargo +nightly miri test --package holdall-tests --test main -- typed_packed

# What allocates, or has unsafe code, and no C but zstd's. Stable Rust has no sanitizer. One test runs a compiler, which looks for
# derives where they are only without a target. Leaks are not errors: when memory runs out, values that are just being read are not freed.
.PHONY: asan
asan: need-cargo ## Run the tests of Rust with AddressSanitizer, if there is nightly Rust: accesses out of bounds or after a free
	@if ! cargo +nightly --version >/dev/null 2>&1; then \
	echo 'not run: nightly Rust is missing; rustup toolchain install nightly' >&2; exit 1; fi
	ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=0 RUSTFLAGS=-Zsanitizer=address cargo +nightly test --target $(shell rustc -vV | sed -n 's/^host: //p') --target-dir $(TARGET)/asan \
		--package holdall-format --package holdall --package holdall-arrow --package holdall-tests --all-features --tests --locked \
		-- --skip types::unimplemented

# No machine with the other byte order is at hand. On such a machine numbers are converted one by one, in place of whole columns that
# are copied, borrowed or mapped: this runs that code.
.PHONY: test-byte-order
test-byte-order: need-cargo ## Test Rust as if numbers had other bytes in memory than in the format, as on big-endian machines
	RUSTFLAGS='--cfg holdall_each_number' cargo test --target-dir $(TARGET)/byte-order --package holdall-format \
		--package holdall --package holdall-arrow --package holdall-tests --all-features --locked

# Not part of `make test-all`, because stable Rust has no Miri.
.PHONY: test-big-endian
test-big-endian: need-cargo ## Run the library without std on a big-endian machine that Miri imitates, if nightly Rust has it
	@if ! cargo +nightly miri --version >/dev/null 2>&1; then \
	echo 'not run: Miri is missing; rustup toolchain install nightly --component miri,rust-src' >&2; exit 1; fi
	MIRIFLAGS=-Zmiri-disable-isolation cargo +nightly miri test --manifest-path $(NO_STD) --target s390x-unknown-linux-gnu \
		--target-dir $(TARGET)/big-endian --locked

# Linking needs 32-bit libraries of C, which few machines have.
THIS_32 := i686-unknown-linux-gnu

.PHONY: test-32-bits
test-32-bits: need-cargo ## Test Rust on 32 bits, where rustup and 32-bit libraries are (gcc-multilib of Debian)
	@if ! echo 'int main(void) { return 0; }' | cc -m32 -x c - -o /dev/null 2>/dev/null; then \
	echo 'SKIPPED: without 32-bit libraries of C, nothing was tested on 32 bits; apt-get install gcc-multilib' >&2; exit 0; fi; \
	command -v rustup >/dev/null || { echo 'SKIPPED: without rustup, nothing was tested on 32 bits' >&2; exit 0; }; \
	set -x; \
	rustup target add $(THIS_32); \
	cargo test --target $(THIS_32) --package holdall-format --package holdall --package holdall-tests \
		--all-features --locked

# Without a network to RustSec's database, `deny-advisories` cannot run; the rest needs Cargo.lock and the crates alone.
.PHONY: deny
deny: need-cargo $(CARGO_DENY) ## Check licences, sources and banned crates of all dependencies: deny.toml
	$(CARGO_DENY) --locked check --hide-inclusion-graph bans licenses sources

.PHONY: deny-advisories
deny-advisories: need-cargo $(CARGO_DENY) ## Check all dependencies for known vulnerabilities, from RustSec's database on GitHub
	$(CARGO_DENY) --locked check advisories

# The last release; before the first there is nothing to compare with. BASELINE=REVISION compares with any commit.
BASELINE ?= $(shell git describe --tags --match 'v[0-9]*' --abbrev=0 2>/dev/null)

.PHONY: semver
semver: need-cargo ## Compare the public interface of Rust with that of the last release, or of BASELINE=REVISION
	@if [ -z "$(BASELINE)" ]; then echo 'SKIPPED: there is no release yet whose interface could break; BASELINE=HEAD~1 compares with a commit' >&2; exit 0; fi; \
	set -x; $(MAKE) --no-print-directory $(CARGO_SEMVER) && $(CARGO_SEMVER) semver-checks --package holdall --baseline-rev $(BASELINE) --all-features

# ---- coverage ----

# llvm-cov of the version that rustc is made of: rustup's component, or Debian's package. A variable that is expanded again when it is used,
# because the component may be added meanwhile.
LLVM = $(shell rustc -vV | sed -n 's/^LLVM version: \([0-9]*\).*/\1/p')
llvm-tool = $(or $(wildcard $(shell rustc --print sysroot)/lib/rustlib/*/bin/$(1)),$(shell command -v $(1)-$(LLVM)))
COVERAGE := target/coverage

.PHONY: coverage
coverage: coverage-rust coverage-python ## Measure which branches the tests reach, in Rust and in the Python package, for docs/testing.md
	@grep 'that tests reach' docs/testing.md

# Stable Rust has branches behind a switch. The compiled half of the Python package is measured by the tests of Python. Processes
# that tests kill leave no whole profile, which the mode of failure lets pass.
.PHONY: coverage-rust
coverage-rust: need-cargo need-llvm $(CARGO_LLVM_COV)
	@mkdir -p $(COVERAGE)
	RUSTC_BOOTSTRAP=1 LLVM_COV=$(call llvm-tool,llvm-cov) LLVM_PROFDATA=$(call llvm-tool,llvm-profdata) \
		$(CARGO_LLVM_COV) llvm-cov --branch --workspace --exclude holdall-python --all-features --locked \
		--failure-mode all --json --summary-only --output-path $(COVERAGE)/rust.json
	@$(PYTHON) docs/testing.py --covered $(COVERAGE)/rust.json

.PHONY: need-llvm
need-llvm:
	@if command -v rustup >/dev/null; then rustup --quiet component add llvm-tools; \
	elif ! command -v llvm-cov-$(LLVM) >/dev/null; then \
	echo 'not run: llvm-cov of LLVM $(LLVM) is missing; apt-get install llvm-$(LLVM)' >&2; exit 1; fi

# The processes of the tests add their counts to four files.
.PHONY: coverage-python
coverage-python: need-cargo need-llvm
	@$(MAKE) --no-print-directory .venv-$(HERE)/.ready FOUND=$(EXECUTABLE)
	LLVM_PROFILE_FILE=/dev/null RUSTC_BOOTSTRAP=1 RUSTFLAGS='-C instrument-coverage -Z coverage-options=branch' PYO3_BUILD_EXTENSION_MODULE=1 \
		PYO3_PYTHON=$(EXECUTABLE) \
		cargo build --profile test --target-dir $(COVERAGE)/build --package holdall-python --all-features --lib --locked
	$(call package-into,$(COVERAGE)/package,$(COVERAGE)/build/debug)
	rm -rf $(COVERAGE)/counts
	.venv-$(HERE)/bin/python -m venv --system-site-packages $(COVERAGE)/venv
	$(COVERAGE)/venv/bin/pip install --quiet --requirement requirements-python.txt pytest-cov==$(PYTEST_COV_VERSION)
	LLVM_PROFILE_FILE=$(CURDIR)/$(COVERAGE)/counts/%4m.profraw COVERAGE_FILE=$(COVERAGE)/python.data PYTHONPATH=$(COVERAGE)/package \
		$(COVERAGE)/venv/bin/python -m pytest --quiet --numprocesses auto --dist worksteal \
		--cov=holdall --cov-branch --cov-report=json:$(COVERAGE)/python.json --cov-report= $(TESTS)
	@$(PYTHON) docs/testing.py --covered $(COVERAGE)/python.json
	$(call llvm-tool,llvm-profdata) merge --failure-mode=all --output=$(COVERAGE)/module.profdata $(COVERAGE)/counts
	$(call llvm-tool,llvm-cov) export --summary-only --instr-profile=$(COVERAGE)/module.profdata $(COVERAGE)/package/holdall/_holdall.so \
		crates/holdall-python/src >$(COVERAGE)/module.json
	@$(PYTHON) docs/testing.py --covered $(COVERAGE)/module.json

# Without OF, the score becomes that of docs/testing.md. Mutants that no test notices (2) or that do not end (3) are no failure of this
# command.
MUTANTS := target/mutants

.PHONY: mutants
mutants: need-cargo $(CARGO_MUTANTS) ## Put small faults into the code of the format, and list those that no test notices; SAMPLE=11/60 for every 60th, OF="ints frame"
	@mkdir -p $(MUTANTS)
	CARGO_TARGET_DIR=$(CURDIR)/$(MUTANTS)/build $(CARGO_MUTANTS) mutants --output $(MUTANTS) --shard $(SAMPLE) \
		$(foreach part,$(OF),--re '^[^:]*$(part)') || (( $$? == 2 || $$? == 3 ))
	$(if $(OF),,@$(PYTHON) docs/testing.py --mutants $(MUTANTS)/mutants.out/outcomes.json $(SAMPLE))

# Continuous integration compiles it each time: without optimisation in a third of the time, and it checks as fast.
$(CARGO_DENY):
	cargo install --debug cargo-deny --locked --version $(CARGO_DENY_VERSION) --root target/tools

$(CARGO_LLVM_COV):
	cargo install cargo-llvm-cov --locked --version $(CARGO_LLVM_COV_VERSION) --root target/tools

$(CARGO_MUTANTS):
	cargo install cargo-mutants --locked --version $(CARGO_MUTANTS_VERSION) --root target/tools

$(CARGO_SEMVER):
	cargo install cargo-semver-checks --locked --version $(CARGO_SEMVER_VERSION) --root target/tools

# ---- other machines ----

# The library without features, C, 64 bits or an operating system. It is built for WebAssembly; for 32 bits it is only checked:
# `test-32-bits` runs it.
.PHONY: targets
targets: need-cargo ## Build the library without features, without std, for 32 bits, for WebAssembly and for a microcontroller
	cargo clippy --package holdall --locked -- -D warnings
	cargo clippy --package holdall --no-default-features --features std --locked -- -D warnings
	cargo clippy --package holdall --no-default-features --features derive,evolution --locked -- -D warnings
	cargo test --profile dev --package holdall-tests --no-default-features --test main --locked -- zstd other_schema
	cargo test --profile dev --package holdall-tests --no-default-features --features ruzstd --test main --locked -- zstd vectors
	cargo clippy --manifest-path $(NO_STD) --all-targets --locked -- -D warnings
	cargo test --manifest-path $(NO_STD) --locked
	@command -v rustup >/dev/null || { echo 'SKIPPED: without rustup, nothing is built for $(TARGETS)' >&2; exit 0; }; \
	set -x; \
	rustup target add $(TARGETS); \
	cargo check --package holdall --no-default-features --features derive,serde,ruzstd --target i686-unknown-linux-gnu --locked; \
	cargo build --package holdall --no-default-features --features derive,serde,ruzstd --target wasm32-unknown-unknown --locked; \
	cargo build --manifest-path $(NO_STD) --lib --target thumbv7em-none-eabihf --locked

.PHONY: test-python
test-python: $(VENV_READY) decode-lines ## Run the tests of the reference decoder, also against the Rust decoder
	HOLDALL_DECODE_LINES=$(abspath $(TARGET))/debug/examples/decode_lines $(VENV)/bin/pytest --numprocesses auto --dist worksteal

MUTATIONS ?= 200000
.PHONY: test-mutations
test-mutations: $(VENV_READY) decode-lines ## Compare the reference decoder and Python with Rust on MUTATIONS (200,000) messages, and all truncated ones; try 200 misreadings, a million levels
	HOLDALL_MUTATIONS=$(MUTATIONS) HOLDALL_DECODE_LINES=$(abspath $(TARGET))/debug/examples/decode_lines \
		$(VENV)/bin/pytest --numprocesses auto --dist worksteal $(MUTATIONS_TESTS)
	HOLDALL_MUTATIONS=$(MUTATIONS) $(MAKE) --no-print-directory test-package-here TESTS=python/tests/test_differential.py
	@$(PYTHON) docs/testing.py --ran mutations $(MUTATIONS)

# The tests of the reference decoder that have more to try than in `make test`.
MUTATIONS_TESTS = $(shell grep --files-with-matches -e MUTATIONS -e EXHAUSTIVE -e DAMAGED -e _MISREADINGS spec/reference/tests/test_*.py)

# Takes about 15 minutes on 2 cores.
.PHONY: misreadings
misreadings: $(VENV_READY) ## Put small misreadings into the reference decoder; list those that no vector notices and no text explains; OF="boundary stream" for some
	cd spec/reference && $(abspath $(VENV))/bin/python -m tests.misreadings $(if $(OF),--of $(OF))

# Builds the Python package with debug assertions into a folder for each version of Python, and tests it there. Naming the
# example selects the features of the tests, so that the crates that `test-rust` built are reused; only those that use Python
# are built for each version.
.PHONY: test-package
test-package: need-cargo $(VENV_READY) ## Test the Python package under every Python of PYTHON_VERSIONS
	@tested=; \
	for version in $(PYTHON_VERSIONS); do \
		python=$$($(call find-python,$$version)); \
		if [ -z "$$python" ]; then echo "SKIPPED: Python $$version is missing; nothing was tested with it" >&2; continue; fi; \
		$(MAKE) --no-print-directory test-package-of VERSION=$$version FOUND=$$python || exit $$?; \
		tested+=" $$version"; \
	done; \
	if [ -z "$$tested" ]; then echo 'none of Python $(PYTHON_VERSIONS) was found' >&2; exit 1; fi; \
	echo "the Python package was tested with Python$$tested"

.PHONY: test-package-here
test-package-here: need-cargo $(VENV_READY) ## Test the Python package under the Python that PYTHON names
	@$(MAKE) --no-print-directory test-package-of VERSION=$(HERE) FOUND=$(EXECUTABLE)

# None of the others need be installed.
.PHONY: test-package-others
test-package-others: need-cargo $(VENV_READY) ## Test the Python package under the other Pythons of PYTHON_VERSIONS
	@for version in $(filter-out $(HERE),$(PYTHON_VERSIONS)); do \
		python=$$($(call find-python,$$version)); \
		if [ -z "$$python" ]; then echo "SKIPPED: Python $$version is missing; nothing was tested with it" >&2; continue; fi; \
		$(MAKE) --no-print-directory test-package-of VERSION=$$version FOUND=$$python || exit $$?; \
	done

# Code for one version alone may not compile, which the tests under another do not show. Its own directory, because all that depends on
# PyO3 is compiled anew for each Python.
.PHONY: check-pythons
check-pythons: need-cargo ## Compile the Python package, without tests, for the other Pythons of PYTHON_VERSIONS
	@for version in $(filter-out $(HERE),$(PYTHON_VERSIONS)); do \
		python=$$($(call find-python,$$version)); \
		if [ -z "$$python" ]; then echo "SKIPPED: Python $$version is missing; nothing was compiled for it" >&2; continue; fi; \
		PYO3_PYTHON=$$python PYO3_BUILD_EXTENSION_MODULE=1 \
			cargo check --target-dir $(TARGET)/pythons --package holdall-python --all-features --locked || exit $$?; \
	done

# Without the private layouts of CPython's objects.
.PHONY: test-public-api
test-public-api: ## Test the Python package with CPython's public API alone
	@HOLDALL_PUBLIC_API=1 $(MAKE) --no-print-directory test-package-here

HERE = $(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])')
EXECUTABLE = $(shell $(PYTHON) -c 'import sys; print(sys.executable)')

# Prints nothing if there is no such Python. A pyenv shim for a version that is not installed does not count.
find-python = { python$(1) -c 'import sys; print(sys.executable)' 2>/dev/null \
	|| ls -d $$HOME/.pyenv/versions/$(1).*/bin/python 2>/dev/null | sort -V | tail -n 1; } || true

MODULE_OF = target/python/$(VERSION)
# The package in a folder, with the module of another. `make develop` puts another one beside the sources.
package-into = rm -rf $(1) && mkdir -p $(1) && cp -r python/holdall $(1)/ && rm -f $(1)/holdall/*.so \
	&& cp $(2)/lib_holdall.so $(1)/holdall/_holdall.so

.PHONY: test-package-of
test-package-of: .venv-$(VERSION)/.ready
	PYO3_PYTHON=$(FOUND) PYO3_BUILD_EXTENSION_MODULE=1 \
		cargo build --profile test --workspace --all-features --locked --lib --example decode_lines
	@$(call package-into,$(MODULE_OF),$(TARGET)/debug)
	@# The stubs describe the compiled half. mypy is installed only for the Python of the tools.
	@if $(VENV)/bin/python -c 'import sys; sys.exit("%d.%d" % sys.version_info[:2] != "$(VERSION)")'; then \
	cd $(MODULE_OF) && PYTHONPATH=$(CURDIR)/$(MODULE_OF) $(CURDIR)/$(VENV)/bin/stubtest holdall._holdall; fi
	PYTHONPATH=$(MODULE_OF) .venv-$(VERSION)/bin/python -m pytest --quiet --numprocesses auto --dist worksteal \
		-o cache_dir=$(MODULE_OF)/.pytest_cache $(TESTS)

# The tools are those of the lock file. Node comes from the machine.
JS_READY := js/node_modules/.ready
BENCH_JS_READY := benches/js/node_modules/.ready
comma := ,
ROUNDS ?= 7
JS_MUTATIONS ?= 100000
SEED ?= 1

$(JS_READY): js/package-lock.json
	cd js && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

.PHONY: test-js
test-js: ## Check and test the TypeScript package with Node, also against the reference decoder
	@if ! command -v npm >/dev/null; then echo 'SKIPPED: Node is missing; the TypeScript package was not tested' >&2; exit 0; fi; \
	set -x; \
	$(MAKE) --no-print-directory $(JS_READY) $(VENV_READY) && cd js && npm run --silent check && \
	HOLDALL_PYTHON=$(abspath $(VENV))/bin/python npm test --silent

RUNTIMES_READY := js/tests/runtimes/node_modules/.ready

$(RUNTIMES_READY): js/tests/runtimes/package-lock.json
	cd js/tests/runtimes && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

.PHONY: test-js-runtimes
test-js-runtimes: ## Run all vectors through the TypeScript package in Node, Deno, Bun, workerd, Chromium and Firefox
	@# Deno, Bun and workerd are those of the lock file; Chromium and Firefox are skipped where the machine has none.
	@if ! command -v npm >/dev/null; then echo 'SKIPPED: Node is missing; the TypeScript package was not tested' >&2; exit 0; fi; \
	set -x; \
	$(MAKE) --no-print-directory $(JS_READY) $(RUNTIMES_READY) && node js/tests/runtimes/run.mjs

.PHONY: docs-js
docs-js: $(JS_READY) ## Make the reference of the TypeScript package by TypeDoc, target/docs-js; a warning is an error
	cd js && npx typedoc

.PHONY: test-js-mutations
test-js-mutations: $(JS_READY) $(VENV_READY) ## Compare the TypeScript package with the reference decoder and, where it is built, Rust on JS_MUTATIONS=100000 mutated messages
	cd js && HOLDALL_PYTHON=$(abspath $(VENV))/bin/python HOLDALL_MUTATIONS=$(JS_MUTATIONS) HOLDALL_SEED=$(SEED) npx vitest run tests/differential.test.ts

.PHONY: fuzz-js
fuzz-js: $(JS_READY) ## Fuzz the TypeScript package for FUZZ_SECONDS=60: messages, streams, views, writing what was read
	cd js && HOLDALL_FUZZ_SECONDS=$(FUZZ_SECONDS) HOLDALL_SEED=$(SEED) npx vitest run tests/fuzz.test.ts

.PHONY: js-size
js-size: $(JS_READY) ## Print the sizes of the TypeScript package, minified and gzipped, beside their bounds and targets
	@cd js && npm run --silent size

# From the network: the source archives of the other projects. Reuses the module of test-package-here.
.PHONY: test-foreign
test-foreign: need-cargo ## Run the tests of pickle, and round trips of all values in the tests of msgspec and cbor2
	$(MAKE) --no-print-directory test-package-here TESTS=python/tests/test_api.py
	$(VENV)/bin/python -m venv target/foreign/venv
	target/foreign/venv/bin/pip install --quiet --requirement python/foreign/requirements.txt
	grep -h -e '^cbor2==' -e '^msgspec==' python/foreign/requirements.txt requirements-python.txt > target/foreign/suites.txt
	target/foreign/venv/bin/pip download --quiet --no-deps --no-binary :all: --dest target/foreign --requirement target/foreign/suites.txt
	HOLDALL_FOREIGN=$(CURDIR)/target/foreign PYTHONPATH=$(CURDIR)/target/python/$(HERE) \
		target/foreign/venv/bin/python -m pytest -rP --quiet python/foreign
	@echo 'make test-foreign: the suites of others pass, but for what python/foreign lists'

.venv-%/.ready: requirements-python.txt
	rm -rf .venv-$*
	$(FOUND) -m venv .venv-$*
	.venv-$*/bin/pip install --quiet --requirement requirements-python.txt
	@touch $@

.PHONY: soak
soak: soak-rust soak-python ## Run the tests that other targets shorten, for hours

CRASHES ?= 1000000
.PHONY: soak-rust
soak-rust: need-cargo ## Kill 200 writers of streams; simulate CRASHES (a million); write and read 10^8 rows of each kind in 8 GB of memory
	HOLDALL_SOAK=1 cargo test --package holdall-tests --test main --locked -- stream
	HOLDALL_CRASHES=$(CRASHES) cargo test --profile dev --package holdall --all-features --lib --locked -- stream::faults
	@$(PYTHON) docs/testing.py --ran crashes $(CRASHES)
	HOLDALL_SOAK=1 HOLDALL_ROUNDS=all cargo test --package holdall-tests --test memory --locked -- --test-threads 1 filler typed_budget
	@echo 'make soak-rust: all passed'

# Values nested 2,000,000 levels deep; and this share, in per cent, of 100,000 damaged messages of every type, 100,000 round trips and
# failures of each, and 20,000 graphs of each law.
SOAK ?= 10
SOAK_MODULE := target/python/soak
SOAK_TESTS := hostile depth memory properties direct_walk streams_damage streams_memory endless filler small
.PHONY: soak-python
soak-python: need-cargo ## Test the Python package for an hour, in an optimised build with debug assertions; SOAK=100 for ten times as much
	@$(MAKE) --no-print-directory .venv-$(HERE)/.ready FOUND=$(EXECUTABLE)
	PYO3_PYTHON=$(EXECUTABLE) PYO3_BUILD_EXTENSION_MODULE=1 \
		cargo build --profile soak --package holdall-python --all-features --lib --locked
	$(call package-into,$(SOAK_MODULE),$(TARGET)/soak)
	HOLDALL_SOAK=$(SOAK) PYTHONPATH=$(SOAK_MODULE) .venv-$(HERE)/bin/python -m pytest --quiet --numprocesses auto --dist worksteal \
		-o cache_dir=$(SOAK_MODULE)/.pytest_cache $(SOAK_TESTS:%=python/tests/test_%.py)
	@echo 'make soak-python: all passed, $(SOAK) per cent of a whole soak'

# In the environment of the tools: `.venv/bin/python -c 'import holdall'` imports a release build.
.PHONY: develop
develop: need-cargo $(VENV_READY) ## Build the Python package in release and install it into .venv
	$(VENV)/bin/maturin develop --release --locked

# A wheel works with one version of Python: make wheel INTERPRETER=python3.12
INTERPRETER ?= $(VENV)/bin/python

.PHONY: wheel
wheel: need-cargo $(VENV_READY) ## Build the wheel of the Python package into target/wheels; INTERPRETER=python3.12 names the Python
	$(VENV)/bin/maturin build --release --locked --interpreter $(INTERPRETER)

# The Rust decoder as a filter, for comparison with the reference decoder. Its profile and features are those of `test-rust`,
# which has usually built it already.
.PHONY: decode-lines
decode-lines: need-cargo
	cargo build --profile test --workspace --all-features --locked --example decode_lines

.PHONY: fmt
fmt: need-components $(VENV_READY) ## Format all code
	cargo fmt --all
	cargo fmt --manifest-path $(BENCH)
	cargo fmt --manifest-path $(BENCH_KERNELS) --all
	cargo fmt --manifest-path $(BENCH_RUST)
	cargo fmt --manifest-path $(BENCH_COLUMNS)
	cargo fmt --manifest-path fuzz/Cargo.toml
	$(VENV)/bin/ruff check --fix $(PY_TREES)
	$(VENV)/bin/ruff format $(PY_TREES)

.PHONY: fmt-check
fmt-check: need-components
	cargo fmt --all --check
	cargo fmt --manifest-path $(BENCH) --check
	cargo fmt --manifest-path $(BENCH_KERNELS) --all --check
	cargo fmt --manifest-path $(BENCH_RUST) --check
	cargo fmt --manifest-path $(BENCH_COLUMNS) --check
	cargo fmt --manifest-path fuzz/Cargo.toml --check

# What the build of PyO3 depends on is as in `test-package-here`, or each would make the other compile it again.
FOR_PYO3 := clippy doc test-rust test-rounds decode-lines
$(FOR_PYO3): export PYO3_PYTHON = $(EXECUTABLE)
$(FOR_PYO3): export PYO3_BUILD_EXTENSION_MODULE = 1

.PHONY: clippy
clippy: need-components
	cargo clippy --workspace --all-features --all-targets --locked -- -D warnings

.PHONY: doc
doc: need-cargo ## Build the documentation of the Rust crates
	RUSTDOCFLAGS=-Dwarnings cargo doc --workspace --all-features --no-deps --locked

.PHONY: lint-python
lint-python: $(VENV_READY)
	$(VENV)/bin/ruff check $(PY_TREES)
	$(VENV)/bin/ruff format --check $(PY_TREES)
	$(VENV)/bin/mypy
	$(VENV)/bin/mypy --config-file python/mypy.ini
	$(VENV)/bin/pyright --project python/pyrightconfig.json

# Of all files under version control: docs/words.py has the list.
.PHONY: lint-words
lint-words: $(VENV_READY) ## Check prose and comments for rejected words, and the numbers in docs/testing.md
	$(VENV)/bin/python docs/words.py
	$(VENV)/bin/python docs/testing.py --check

# ---- measure ----

.PHONY: bench
bench: need-cargo ## Measure JSON to holdall and back against peers; FILES="a.json" adds files
	cargo bench --locked --manifest-path $(BENCH) --bench convert -- $(foreach file,$(FILES),$(abspath $(file)))

.PHONY: bench-kernels
bench-kernels: need-cargo ## Measure the inner loops against memcpy; KERNELS="bits" selects by parts of names
	cargo bench --locked --manifest-path $(BENCH_KERNELS) --bench kernels -- $(KERNELS)

# A run of all cases writes a file of results. Do not keep results from a busy machine.
.PHONY: bench-rust
bench-rust: need-cargo ## Measure Rust types against peers; CASES="logs mesh" selects by parts of names
	@mkdir -p benches/results
	cargo bench --locked --manifest-path $(BENCH_RUST) --bench compare $(if $(PEERS),--features $(PEERS)) -- $(CASES) \
		$(if $(CASES)$(PEERS),,--results $(CURDIR)/benches/results/rust-$$(date +%F).md)

.PHONY: bench-rust-instructions
bench-rust-instructions: need-cargo ## Count holdall's instructions on the same data with valgrind: the same in every run
	cargo bench --locked --manifest-path $(BENCH_RUST) --bench compare $(if $(PEERS),--features $(PEERS)) -- instructions $(CASES)

.PHONY: bench-size
bench-size: need-cargo ## Build a program with one struct for each serializer: its size, and the time to compile it
	@mkdir -p benches/results
	$(PYTHON) -m benches.size --target $(abspath $(TARGET))/size --results benches/results/size-$$(date +%F).md

# A run of all cases writes files of results. The JSON files are those of the demo, unless DATA names a folder.
.PHONY: bench-python
bench-python: bench-venv ## Measure Python objects against peers; CASES="records graph", DATA=DIR for JSON files, QUICK=1 for small sizes
	@$(if $(DATA),true,$(BENCH_VENV)/bin/python demo/fetch.py --to $(DEMO_DATA))
	BENCH_COMMAND='make bench-python$(if $(DATA), DATA=$(notdir $(abspath $(DATA))))' $(BENCH_VENV)/bin/python -m benches.python $(CASES) \
		--data $(or $(DATA),$(DEMO_DATA)) $(if $(QUICK),--quick) $(if $(CASES)$(QUICK),,--results benches/results)

.PHONY: bench-replace
bench-replace: bench-venv ## Print the table of docs/python/replace-pickle.md: real objects beside pickle and what people use instead
	@$(BENCH_VENV)/bin/python -m benches.python.replace

.PHONY: bench-codings
bench-codings: bench-venv ## Print the table of docs/python/formats.md: other formats by format= beside orjson, ormsgpack and cbor2
	@$(BENCH_VENV)/bin/python demo/fetch.py --to $(DEMO_DATA)
	@$(BENCH_VENV)/bin/python -m benches.python.codings --data $(DEMO_DATA) $(if $(QUICK),--quick)

.PHONY: bench-codings-rust
bench-codings-rust: need-cargo ## Print the table of docs/formats.md: types of serde in other formats beside serde_json, rmp-serde and ciborium
	cargo bench --locked --manifest-path $(BENCH) --bench codings

.PHONY: bench-threads
bench-threads: need-cargo ## Measure packing, and streams written and read, with one thread and with all
	cargo bench --locked --manifest-path $(BENCH) --bench threads

.PHONY: bench-dictionaries
bench-dictionaries: bench-venv ## Print the table of docs/dictionaries.md: small messages with a dictionary beside others with one; DATA=DIR for a twitter.json
	@$(BENCH_VENV)/bin/python -m benches.python.dictionaries $(if $(DATA),--data $(DATA))

# Each format in turn writes a file of about MEGABYTES of JSON into FOLDER (default: the temporary folder).
.PHONY: bench-streams
bench-streams: bench-venv ## Measure files of many records against other formats; MEGABYTES=2000, FOLDER=DIR
	BENCH_COMMAND='make bench-streams$(if $(MEGABYTES), MEGABYTES=$(MEGABYTES))' $(BENCH_VENV)/bin/python -m benches.streams \
		$(if $(MEGABYTES),--megabytes $(MEGABYTES)) $(if $(FOLDER),--folder $(FOLDER)) \
		--results benches/results/streams-$$(date +%F).md

# A run of all data writes a file of results. BEFORE adds the results that an earlier version saved with SAVE.
.PHONY: bench-columns
bench-columns: bench-columns-venv ## Measure tables beside columnar formats; CASES="flights trips", DATA=DIR, QUICK=1, SAVE=FILE, BEFORE=FILE
	@$(if $(DATA),true,$(COLUMNS_VENV)/bin/python demo/fetch.py --to $(DEMO_DATA))
	BENCH_COMMAND='make bench-columns$(if $(DATA), DATA=$(notdir $(abspath $(DATA))))$(if $(BEFORE), BEFORE=$(notdir $(BEFORE)))' \
		$(COLUMNS_VENV)/bin/python -m benches.columns $(CASES) --timer $(COLUMNS_TIMER) --data $(or $(DATA),$(DEMO_DATA)) \
		$(if $(QUICK),--quick) $(if $(SAVE),--save $(SAVE)) $(if $(BEFORE),--before $(BEFORE)) \
		$(if $(CASES)$(QUICK),,--results benches/results/columns-$$(date +%F).md)

# A run of all tables writes a file of results. ROWS is for a short run, to check that everything works.
.PHONY: bench-arrow
bench-arrow: need-cargo ## Measure tables in pandas, polars and DuckDB beside Arrow IPC, Parquet, Vortex and CSV; CASES="flights", ROWS=1000
	$(call bench-environment,$(ARROW_VENV),benches/arrow/requirements.txt)
	BENCH_COMMAND='make bench-arrow' $(ARROW_VENV)/bin/python -m benches.arrow $(CASES) $(if $(ROWS),--rows $(ROWS)) \
		$(if $(CASES)$(ROWS),,--results benches/results/arrow-$$(date +%F).md)

# A run of all cases writes a file of results.
.PHONY: bench-js
bench-js: $(JS_READY) $(BENCH_JS_READY) ## Measure TypeScript against peers in Node and Chromium, with and without generated code; CASES="flights events", RUNTIMES=node, ROUNDS=7, DATA=DIR
	@mkdir -p benches/results
	@$(PYTHON) demo/fetch.py --to $(DEMO_DATA) && $(PYTHON) demo/fetch.py --to $(DEMO_DATA) flights.csv
	cd benches/js && node bench.mjs $(CURDIR)/$(DEMO_DATA)$(if $(DATA),$(comma)$(abspath $(DATA))) "$(if $(CASES),,$(CURDIR)/benches/results/js-$$(date +%F).md)" $(ROUNDS) $(CASES)

$(BENCH_JS_READY): benches/js/package-lock.json
	cd benches/js && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

.PHONY: bench-test
bench-test: need-components ## Check the benchmark of the kernels, and the code that all benchmarks share
	cargo clippy --manifest-path $(BENCH_KERNELS) --workspace --all-targets --locked -- -D warnings
	cargo test --locked --manifest-path $(BENCH_KERNELS) --workspace

# The peers take longer to build than everything else, so `make test` leaves these out.
.PHONY: bench-json-test
bench-json-test: need-components ## Check and test the benchmark of JSON (builds its peers)
	cargo clippy --manifest-path $(BENCH) --all-targets --locked -- -D warnings
	cargo test --locked --manifest-path $(BENCH)

.PHONY: bench-rust-test
bench-rust-test: need-components ## Check and test the benchmark of Rust types (builds many peers)
	cargo clippy --manifest-path $(BENCH_RUST) --all-targets --locked -- -D warnings
	cargo test --locked --manifest-path $(BENCH_RUST)

# `make test` does not install the peers.
.PHONY: bench-python-test
bench-python-test: bench-venv ## Test the benchmarks of Python objects and of files (installs their peers)
	$(BENCH_VENV)/bin/python -m pytest --quiet benches/python benches/streams

# The peers of the column benchmark have their own environment, because they are large.
.PHONY: bench-columns-test
bench-columns-test: bench-columns-venv need-components ## Check and test the benchmark of columns (installs its peers)
	cargo clippy --manifest-path $(BENCH_COLUMNS) --all-targets --locked -- -D warnings
	cargo test --locked --manifest-path $(BENCH_COLUMNS)
	HOLDALL_TIMER=$(abspath $(COLUMNS_TIMER)) $(COLUMNS_VENV)/bin/python -m pytest --quiet benches/columns

# The environments of libraries also test the extensions of these with hostile contents, which `make test` skips.
EXTENSIONS_TESTS := python/tests/test_hostile_extensions.py python/tests/test_units_of_extensions.py

# The libraries whose tables they are, in an environment of their own.
TABLES_VENV := .venv-tables

.PHONY: test-tables
test-tables: need-cargo ## Test tables in pandas, polars, pyarrow and DuckDB
	$(call bench-environment,$(TABLES_VENV),python/tables/requirements.txt)
	$(TABLES_VENV)/bin/python -m pytest --quiet -o pythonpath=spec/reference python/tables
	HOLDALL_ROUNDS=all $(TABLES_VENV)/bin/python -m pytest --quiet $(EXTENSIONS_TESTS) -k 'pandas or polars or pyarrow'

TABLES_OLDEST_VENV := .venv-tables-oldest

.PHONY: test-tables-oldest
test-tables-oldest: need-cargo ## Test tables in the oldest supported pandas, polars, pyarrow and DuckDB
	$(call bench-environment,$(TABLES_OLDEST_VENV),python/tables/requirements-oldest.txt)
	$(TABLES_OLDEST_VENV)/bin/python -m pytest --quiet -o pythonpath=spec/reference python/tables

# The engines, which are large, in one of their own.
ENGINES_VENV := .venv-engines

.PHONY: test-engines
test-engines: need-cargo ## Test tables in Dask, Ray and Spark, and streams in S3
	$(call bench-environment,$(ENGINES_VENV),python/engines/requirements.txt)
	PYSPARK_PYTHON=$(CURDIR)/$(ENGINES_VENV)/bin/python $(ENGINES_VENV)/bin/python -m pytest --quiet -W default \
		-o pythonpath=spec/reference python/engines

# The libraries that holdall.integrations is for, in another one.
INTEGRATIONS_VENV := .venv-integrations

.PHONY: test-integrations
test-integrations: need-cargo $(SERVERS)/.ready ## Test holdall in place of pickle in Django, Celery, Kafka and others, with their servers
	$(call bench-environment,$(INTEGRATIONS_VENV),python/integrations/requirements.txt)
	$(INTEGRATIONS_VENV)/bin/python -m pytest --quiet -W default -o pythonpath=spec/reference --timeout 120 python/integrations

# Debian's packages, unpacked here without root. Elsewhere the tests use the servers that are installed, and fakeredis in place of
# Redis.
SERVER_PACKAGES := redis-server redis-tools memcached libjemalloc2 liblua5.1-0 lua-cjson lua-bitop liblzf1 libevent-2.1-7

$(SERVERS)/.ready:
	@mkdir -p $(SERVERS)
	@cd $(SERVERS) && if apt-get download -q $(SERVER_PACKAGES) || { apt-get update -q && apt-get download -q $(SERVER_PACKAGES); }; \
	then for package in *.deb; do dpkg -x $$package .; done; \
	else echo 'no Debian packages of redis-server and memcached: the tests use those that are installed' >&2; fi
	@touch $@

# The libraries whose objects they are, in an environment of their own.
LIBRARIES_VENV := .venv-libraries

.PHONY: test-libraries
test-libraries: need-cargo ## Test objects of networkx, scikit-learn, sympy, SQLAlchemy and other libraries
	$(call bench-environment,$(LIBRARIES_VENV),python/libraries/requirements.txt)
	$(LIBRARIES_VENV)/bin/python -m pytest --quiet python/libraries
	HOLDALL_ROUNDS=all $(LIBRARIES_VENV)/bin/python -m pytest --quiet $(EXTENSIONS_TESTS) -k 'pandas or xarray or torch'

.PHONY: bench-venv
bench-venv: need-cargo
	$(call bench-environment,$(BENCH_VENV),benches/python/requirements.txt)

# Also builds the program that times holdall's own columns.
.PHONY: bench-columns-venv
bench-columns-venv: need-cargo
	$(call bench-environment,$(COLUMNS_VENV),benches/columns/requirements.txt)
	cargo build --release --locked --manifest-path $(BENCH_COLUMNS)

# The release build of the package, and its peers, for the Python that PYTHON names; rebuilt if that changes. Environments of
# the same version of Python share the module.
define bench-environment
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	{ echo '$(PYTHON) is missing or older than 3.11; name another: make PYTHON=python3.12' >&2; exit 1; }
	@wanted="$$($(PYTHON) -c 'import sys; print(sys.base_prefix, sys.version)')"; \
	if [ "$$(cat $(1)/.ready 2>/dev/null)" != "$$wanted" ] || [ $(2) -nt $(1)/.ready ]; then \
		rm -rf $(1); \
		$(PYTHON) -m venv $(1); \
		$(1)/bin/pip install --quiet --requirement $(2); \
		echo "$$wanted" > $(1)/.ready; \
	fi
	VIRTUAL_ENV=$(CURDIR)/$(1) $(1)/bin/maturin develop --release --locked
endef

# ---- fuzz ----

# Each file is a target of its own: make fuzz-NAME fuzzes one.
FUZZ_TARGETS := $(basename $(notdir $(wildcard fuzz/src/bin/*.rs)))
CARGO_FUZZ_RUN = PATH="$(CURDIR)/$(dir $(CARGO_FUZZ)):$$PATH" cargo fuzz
# A folder in memory, if there is one: one target writes files.
FUZZ_FILES = TMPDIR=$$([ -w /dev/shm ] && echo /dev/shm || echo "$${TMPDIR:-/tmp}")

.PHONY: fuzz
fuzz: $(FUZZ_TARGETS:%=fuzz-%) fuzz-python ## Fuzz each target for FUZZ_SECONDS (60); fuzz-NAME fuzzes one
	@echo 'make fuzz: $(words $(FUZZ_TARGETS)) targets and the Python package, $(FUZZ_SECONDS) s each, without a find'

# Without a sanitizer stable Rust suffices: almost all of our code is safe, so a fuzzer finds panics.
.PHONY: $(FUZZ_TARGETS:%=fuzz-%)
$(FUZZ_TARGETS:%=fuzz-%): fuzz-%: fuzz-seeds
	$(FUZZ_FILES) $(CARGO_FUZZ_RUN) run $* --sanitizer none -- \
		-max_total_time=$(FUZZ_SECONDS) -timeout=20 $$(test -s fuzz/corpus/$*.dict && echo -dict=fuzz/corpus/$*.dict)
	@$(PYTHON) docs/testing.py --fuzzed $* $(FUZZ_SECONDS)

# Reuses the module of test-package-here.
.PHONY: fuzz-python
fuzz-python: need-cargo $(VENV_READY) ## Fuzz the Python package for FUZZ_SECONDS; another SEED has other inputs
	$(MAKE) --no-print-directory test-package-here TESTS=python/tests/test_api.py
	PYTHONPATH=target/python/$(HERE) .venv-$(HERE)/bin/python python/fuzz/messages.py --seconds $(FUZZ_SECONDS) --seed $(SEED) \
		--count-to $(TARGET)/fuzz-python
	@$(PYTHON) docs/testing.py --fuzzed python $(FUZZ_SECONDS)
	@$(PYTHON) docs/testing.py --ran fuzz-python "$$(cat $(TARGET)/fuzz-python)"

# Runs the targets of a folder over their seeds, each in a folder of its own.
define over-seeds
	@for target in $(FUZZ_TARGETS); do \
		$(FUZZ_FILES) $(1)/$$target -runs=0 $(2)/$$target > $(2)/$$target.log 2>&1 || { cat $(2)/$$target.log; exit 1; }; \
	done
endef

# Builds all targets, and runs each over its seeds and former crashes.
.PHONY: fuzz-check
fuzz-check: need-components ## Lint the fuzz targets, and run them over their seeds
	cargo clippy --manifest-path fuzz/Cargo.toml --locked -- -D warnings
	cargo build --manifest-path fuzz/Cargo.toml --locked
	cargo test --manifest-path fuzz/Cargo.toml --lib --locked
	@$(PYTHON) fuzz/seeds.py --to target/fuzz-seeds
	$(call over-seeds,fuzz/target/debug,target/fuzz-seeds)
	@echo 'fuzz-check: each target keeps its laws on its seeds'

# oss-fuzz itself uses SANITIZER=address, which needs nightly Rust.
OSS_FUZZ := target/oss-fuzz
.PHONY: oss-fuzz
oss-fuzz: need-cargo $(CARGO_FUZZ) ## Build the fuzz targets as oss-fuzz does, and run each over the seeds that it gets; SANITIZER=address
	rm -rf $(OSS_FUZZ)
	PATH="$(CURDIR)/$(dir $(CARGO_FUZZ)):$$PATH" OUT=$(OSS_FUZZ) SANITIZER=$(or $(SANITIZER),none) fuzz/oss-fuzz/build.sh
	@for target in $(FUZZ_TARGETS); do $(PYTHON) -m zipfile -e $(OSS_FUZZ)/$${target}_seed_corpus.zip $(OSS_FUZZ)/seeds/$$target || exit; done
	$(call over-seeds,$(OSS_FUZZ),$(OSS_FUZZ)/seeds)
	@echo 'oss-fuzz: each target is built, and keeps its laws on its seeds'

.PHONY: fuzz-seeds
fuzz-seeds: need-cargo $(CARGO_FUZZ)
	@$(PYTHON) fuzz/seeds.py

$(CARGO_FUZZ):
	cargo install cargo-fuzz --locked --version $(CARGO_FUZZ_VERSION) --root target/tools

# ---- tools ----

.PHONY: need-cargo
need-cargo:
	@command -v cargo >/dev/null || { echo 'cargo is missing: install Rust with rustup, stable toolchain' >&2; exit 1; }

# rustup's minimal profile does not contain them.
.PHONY: need-components
need-components: need-cargo
	@missing=; \
	cargo fmt --version >/dev/null 2>&1 || missing+=' rustfmt'; \
	cargo clippy --version >/dev/null 2>&1 || missing+=' clippy'; \
	if [ -n "$$missing" ]; then echo "parts of the Rust toolchain are missing; run: rustup component add$$missing" >&2; exit 1; fi

$(VENV_READY): requirements-dev.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	{ echo '$(PYTHON) is missing or older than 3.11; name another: make PYTHON=python3.12' >&2; exit 1; }
	rm -rf $(VENV)
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --requirement requirements-dev.txt
	@touch $@

.PHONY: clean
clean: ## Remove everything that was built or fetched, except what the fuzzer collected
	rm -rf target crates/holdall/no-std/target benches/json/target benches/kernels/target benches/rust/target benches/columns/target fuzz/target $(VENV) $(BENCH_VENV) $(COLUMNS_VENV) $(ARROW_VENV) $(TABLES_VENV) $(ENGINES_VENV) $(INTEGRATIONS_VENV) .venv-3.* .hypothesis .mypy_cache .pytest_cache .ruff_cache
