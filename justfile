# What is done often, one line each. `just` alone lists them.

python := ".venv-dev/bin/python"
compile := ".venv-dev/bin/uv pip compile --quiet --universal --python-version 3.12 --generate-hashes --no-emit-index-url --no-annotate --custom-compile-command 'just lock'"
# Of miniwob only the pages are used; none of the packages that drive them.
pages_alone := "--no-emit-package selenium --no-emit-package gymnasium --no-emit-package farama-notifications --no-emit-package numpy --no-emit-package pillow --no-emit-package cloudpickle --no-emit-package trio --no-emit-package trio-websocket --no-emit-package websocket-client --no-emit-package wsproto --no-emit-package outcome --no-emit-package pysocks --no-emit-package playwright --no-emit-package pyee --no-emit-package greenlet"

default:
    @just --list

# everything that must be green before a commit
check:
    ./test

# the tests alone; arguments go to pytest
test *arguments:
    ./test --quick {{arguments}}

# lint and format in place
fix:
    {{python}} -m ruff check --fix .
    {{python}} -m ruff format .

# write the generated reference pages
docs:
    {{python}} -m tests.house.reference

# the shipped snapshot of models: the source file, its version, the day it was taken
catalogue source version date:
    {{python}} -m tests.house.catalogue {{source}} {{version}} {{date}}

# accept changed snapshots
snap *arguments:
    {{python}} -m pytest -n 0 --inline-snapshot=fix {{arguments}}

# lock the dependencies again; `just lock --upgrade` takes newer ones
lock *arguments:
    {{compile}} pyproject.toml -o requirements/run.txt {{arguments}}
    {{compile}} pyproject.toml --group dev -c requirements/run.txt -o requirements/dev.txt {{pages_alone}} {{arguments}}
    for extra in bedrock keyring litellm search; do {{compile}} pyproject.toml --extra $extra -c requirements/dev.txt \
        $(sed -n 's/^\([A-Za-z0-9_.-]*\)==.*/--no-emit-package \1/p' requirements/run.txt) -o requirements/extra-$extra.txt {{arguments}}; done
    {{compile}} --group build -o requirements/build.txt {{arguments}}
    {{compile}} --group uv -o requirements/uv.txt {{arguments}}

# the wheel, into dist/
build:
    {{python}} -m hatchling build -t wheel

# a run with a scripted model; needs no key
demo:
    ./ouro demo

# the benchmarks; `just bench --quick` is one round, `just bench --peer codex` adds a peer
bench *arguments:
    {{python}} -m bench.harness {{arguments}}
    {{python}} bench/store.py

# what an event costs beside other clients; see bench/README.md for --peers-python
bench-llm *arguments:
    {{python}} -m bench.llm {{arguments}}
