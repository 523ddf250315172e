#!/bin/sh
# Builds the Python wheel into dist/, and tests it in a virtual environment below target/python.
# Usage: python.sh [--quick] [ARGUMENTS OF PYTEST]; PYTHON names the interpreter (python3).
# --quick, for continuous integration: a wheel for the tests alone, built without the release's optimisation, below
# target/python. Where Python or what python/requirements.txt pins is not to be had, it says so and succeeds.
# Needs Python 3.10 or later with the module venv, and the network for what python/requirements.txt pins.
set -eu
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
venv=target/python/venv
quick=
if [ "${1:-}" = --quick ]; then
    quick=yes
    shift
fi

# What is missing here: with --quick the tests are skipped.
missing() {
    if [ "$quick" ]; then
        echo "skipped: the tests of the Python package: $1"
        exit 0
    fi
    echo "python: $1" >&2
    exit 1
}

"$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null ||
    missing "$python is missing, older than 3.10, or has no venv (on Debian or Ubuntu: apt-get install python3-venv)"
[ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
# By the interpreter and not by its scripts, which know the path that they were installed to.
run() {
    "$venv/bin/python" -m "$@"
}
pip() {
    run pip --quiet --disable-pip-version-check "$@"
}
if ! pip install --retries 2 -r python/requirements.txt; then
    # A registry that answers, and does not have what is pinned, is an error.
    probe=$(mktemp -d)
    pip download --retries 0 --no-deps --dest "$probe" iniconfig >/dev/null 2>&1 && reached=yes || reached=
    rm -rf "$probe"
    [ "$reached" ] || missing "pip reaches no registry, and what python/requirements.txt pins is not installed"
    echo "python: what python/requirements.txt pins cannot be installed (see above)" >&2
    exit 1
fi

export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target/python/cargo}"
wheels=dist
[ -z "$quick" ] || wheels=target/python/wheels
mkdir -p "$wheels"
rm -f "$wheels"/drivelab-*-abi3-*.whl
if [ "$quick" ]; then
    run maturin build --locked --manifest-path python/Cargo.toml --out "$wheels"
else
    run maturin build --release --locked --strip --manifest-path python/Cargo.toml --out "$wheels"
fi
pip install --force-reinstall --no-deps "$wheels"/drivelab-*-abi3-*.whl
# From here the installed package is found, and not its source.
run pytest -q -p no:cacheprovider python/tests "$@"
ls -l "$wheels"/drivelab-*-abi3-*.whl
