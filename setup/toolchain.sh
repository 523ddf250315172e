#!/bin/sh
# Says at once what is missing to build drivelab, one line each, with the way to get it.
# Builds nothing and installs nothing. Exit code 1 when something is missing or too old.
# Further programs that are needed (each in a package of its own name) may follow as arguments.
set -u
cd "$(dirname "$0")/.." || exit 1

missing=0
lacks() {
    echo "drivelab: $1" >&2
    missing=1
}

# The oldest compiler that will do stands in one place: rust-version in Cargo.toml.
wanted=$(sed -n 's/^rust-version *= *"\([0-9.]*\)".*/\1/p' Cargo.toml)
get_rust="install a current one from https://rustup.rs, or your distribution's rustup package"

# "1.95.0" -> 1095; a suffix such as -nightly does not matter.
as_number() {
    echo "$1" | awk -F. '{ printf "%d", $1 * 1000 + $2 }'
}

if ! command -v cargo >/dev/null 2>&1; then
    lacks "cargo is missing: $get_rust"
fi
if ! command -v rustc >/dev/null 2>&1; then
    lacks "rustc is missing: $get_rust"
else
    found=$(rustc --version 2>/dev/null | awk '{ print $2 }')
    if [ -z "$found" ]; then
        lacks "rustc does not start (rustc --version fails): run 'rustup default stable', or $get_rust"
    elif [ "$(as_number "$found")" -lt "$(as_number "$wanted")" ]; then
        lacks "rustc $found is too old, $wanted or later is needed: run 'rustup update stable', or $get_rust"
    fi
fi

# The results' database (SQLite) is compiled from its C source, and every program is linked by cc.
get_cc="on Debian or Ubuntu: apt-get install gcc libc6-dev"
if ! command -v cc >/dev/null 2>&1; then
    lacks "a C compiler (cc) is missing: $get_cc"
elif ! echo '#include <stdio.h>' | cc -x c -fsyntax-only - >/dev/null 2>&1; then
    lacks "cc cannot compile: the C library's headers are missing: $get_cc"
fi

for program in "$@"; do
    command -v "$program" >/dev/null 2>&1 ||
        lacks "$program is missing: on Debian or Ubuntu: apt-get install $program"
done

exit $missing
