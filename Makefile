# Everything from a fresh checkout with one command each. Needed beforehand: make and a Python >= 3.11; neither Redis nor
# Docker nor Node nor a browser. What has been done is remembered by stamp files in .venv, so a second `make up` starts at once.
#
#   make up      play: http://127.0.0.1:8080/          make test    all checks that a change has to pass (< 10 minutes)
#   make soak    the long campaigns                    make bench   the budgets, measured
#   make lint    style and import rules                make lock    take newer versions of the dependencies

SHELL := /bin/sh
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
RUN := $(VENV)/.run-stamp
DEV := $(VENV)/.dev-stamp
NPM := services/web/node_modules/.npm-stamp
WEB := services/web/dist/index.html
WEB_SOURCES := $(shell find services/web -type f -not -path '*/node_modules/*' -not -path '*/dist/*' -not -path '*/tests/*')
JOBS ?= 4
ARGS ?=
# "yes" unless ARGS names tests and none that drive a browser, or leaves those out.
BROWSER = $(if $(findstring --ignore=tests/browser,$(ARGS)),,$(if $(filter-out tests/,$(filter tests/%,$(ARGS))),$(findstring \
	tests/browser,$(ARGS)),yes))

.PHONY: up test soak bench lint lock web browser test-web test-python clean
.DELETE_ON_ERROR:

up: $(RUN) $(WEB)
	@exec $(BIN)/noripan up

# Without a browser nothing is begun. Then every part runs, whatever the others found; pytest's closing line comes last.
test: $(if $(BROWSER),browser)
	@failed=0; \
	for part in lint test-web test-python; do $(MAKE) --no-print-directory $$part || failed=1; done; \
	exit $$failed

test-python: $(DEV) $(if $(BROWSER),browser) $(WEB)
	$(BIN)/python -m pytest -n $(JOBS) --no-loadscope-reorder $(ARGS)

browser: $(DEV)
	@tools/browser.sh install >/dev/null

test-web: $(NPM)
	tools/npm.sh run check
	tools/npm.sh run types:check
	tools/npm.sh test

soak: $(DEV) browser $(WEB)
	$(BIN)/python -m pytest -m soak --timeout 7200 $(ARGS)

bench: $(RUN)
	$(BIN)/noripan bench $(ARGS)

lint: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-cache

web: $(WEB)

# An interrupted `python -m venv` leaves a folder without pip behind: the stamp, not the folder, says that it is done.
$(VENV)/.venv-stamp:
	@python=$$(tools/python.sh) && echo "Setting up .venv with $$python" && "$$python" -m venv $(VENV)
	@touch $@

$(RUN): requirements.lock pyproject.toml | $(VENV)/.venv-stamp
	@echo "Installing the packages of requirements.lock"
	@$(PIP) install --require-hashes -r requirements.lock
	@$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

$(DEV): requirements-dev.lock | $(RUN)
	@echo "Installing the packages of requirements-dev.lock"
	@$(PIP) install --require-hashes -r requirements-dev.lock
	@touch $@

$(NPM): services/web/package.json services/web/package-lock.json | $(VENV)/.venv-stamp
	@echo "Installing the packages of services/web"
	@tools/npm.sh ci --no-audit --no-fund --loglevel=error
	@touch $@

$(WEB): $(WEB_SOURCES) | $(NPM)
	@echo "Building the web pages"
	@tools/npm.sh run build
	@touch $@

lock: $(DEV)
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile --universal --generate-hashes --no-emit-index-url --python-version 3.11 --upgrade \
		--extra build pyproject.toml -o requirements.lock
	$(BIN)/uv pip compile --universal --generate-hashes --no-emit-index-url --python-version 3.11 --upgrade \
		--extra build --extra test --extra web pyproject.toml -o requirements-dev.lock

clean:
	rm -rf $(VENV) services/web/dist services/web/node_modules
