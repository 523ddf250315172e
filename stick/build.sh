#!/bin/sh
# Builds an image of a USB stick below dist/ that starts a PC (UEFI with or without Secure Boot, BIOS) with drivelab.
# It needs neither root nor loop devices: packages are unpacked, not installed, and the image is put together as a file.
# Usage: stick/build.sh [--release-notes] [PROGRAM [IMAGE]]; without PROGRAM, dist/drivelab (`make packages`).
# --release-notes: only says which packages would be on it, with versions.
set -eu
cd "$(dirname "$0")/.."
PATH=$PATH:/usr/sbin:/sbin
here=$PWD/stick
work=$PWD/target/stick
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
notes_only=
[ "${1:-}" != --release-notes ] || { notes_only=yes && shift; }
program=${1:-dist/drivelab}
image=${2:-dist/drivelab-$version-stick.img}
data_mib=192

die() {
    echo "stick: $1" >&2
    exit 1
}

# Equal inputs give equal bytes: all dates are that of the commit.
: "${SOURCE_DATE_EPOCH:=$(git log -1 --format=%ct 2>/dev/null || echo 0)}"
export SOURCE_DATE_EPOCH TZ=UTC LC_ALL=C

. stick/packages.sh
. stick/image.sh

fetch
release_notes >"$work/packages.txt"
if [ -n "$notes_only" ]; then
    cat "$work/packages.txt"
    exit 0
fi
[ -f "$program" ] || die "$program is not there: make packages"
make_root
make_image
install -m 644 "$work/packages.txt" "${image%.img}.txt"
sha256sum "$image"
echo "stick: $image: $(($(stat -c %s "$image") / 1000000)) MB; write it to a stick as a whole: stick/README.md"
