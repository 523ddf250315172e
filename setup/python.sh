#!/bin/sh
# Builds the Python wheel into dist/, and tests it in a virtual environment below target/python.
# Usage: python.sh [ARGUMENTS OF PYTEST]; PYTHON names the interpreter (python3).
# Needs Python 3.10 or later with the module venv, and the network for what python/requirements.txt pins.
set -eu
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
venv=target/python/venv

if ! "$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
    echo "python: $python is missing, older than 3.10, or has no venv (on Debian or Ubuntu: apt-get install python3-venv)" >&2
    exit 1
fi
[ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
"$venv/bin/pip" install --quiet --disable-pip-version-check -r python/requirements.txt

export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target/python/cargo}"
mkdir -p dist
rm -f dist/drivelab-*-abi3-*.whl
"$venv/bin/maturin" build --release --locked --strip --manifest-path python/Cargo.toml --out dist
"$venv/bin/pip" install --quiet --disable-pip-version-check --force-reinstall --no-deps dist/drivelab-*-abi3-*.whl
# From here the installed package is found, and not its source.
"$venv/bin/pytest" -q -p no:cacheprovider python/tests "$@"
ls -l dist/drivelab-*-abi3-*.whl
