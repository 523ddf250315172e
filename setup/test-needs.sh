#!/bin/sh
# Installs what some tests need beyond the toolchain, from the distribution's own packages, where it may
# (root, or sudo without a password, and apt-get). Where it may not, or the network is missing, it says
# what is missing and which tests will be skipped; the tests then name themselves in the closing summary.
# It never fails the build and never waits for an answer. DRIVELAB_NO_INSTALL=1 keeps it from installing.
set -u
PATH="$PATH:/usr/sbin:/sbin"
export DEBIAN_FRONTEND=noninteractive

# command or commands (any will do) | package | what is tested with it
needs() {
    cat <<'TABLE'
chromium chromium-browser google-chrome|chromium|the HTML report in a real browser
fio|fio|the engine beside fio, and fio's output format
mkfs.ext4|e2fsprogs|files and the store on a small ext4, a full disk
mkfs.xfs|xfsprogs|files on xfs, file systems found on a device
mkfs.vfat|dosfstools|a file system without nameless files
mkfs.exfat|exfatprogs|file systems found on a device
mkfs.btrfs|btrfs-progs|file systems found on a device
mkfs.ntfs|ntfs-3g|a file system without nameless files and reservations
sfdisk|fdisk|partition tables found on a device
TABLE
}

have_any() {
    for name in $1; do
        command -v "$name" >/dev/null 2>&1 && return 0
    done
    return 1
}

missing_packages() {
    needs | while IFS='|' read -r commands package _; do
        have_any "$commands" || echo "$package"
    done
}

# Empty when this user may not install.
become_root() {
    if [ "$(id -u)" -eq 0 ]; then
        echo env
    elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
        echo "sudo -n env"
    fi
}

# Every wait of apt has an end: a lock held by another apt, a mirror that does not answer, the whole.
apt() {
    seconds=$1
    shift
    $root DEBIAN_FRONTEND=noninteractive timeout -k 10 "$seconds" apt-get -qq \
        -o Acquire::http::Timeout=20 -o Acquire::https::Timeout=20 -o Acquire::Retries=1 \
        -o DPkg::Lock::Timeout=60 "$@" </dev/null >/dev/null 2>&1
}

install_packages() {
    apt 120 update || {
        echo "test needs: the package lists cannot be fetched (no network?)"
    }
    apt 600 install -y --no-install-recommends "$@" && return 0
    # One that cannot be had must not keep the others out.
    for package in "$@"; do
        apt 300 install -y --no-install-recommends "$package" || true
    done
}

# A toolchain of rustup's minimal profile lacks these two; make check needs them.
for tool in rustfmt clippy; do
    case $tool in rustfmt) program=cargo-fmt ;; clippy) program=cargo-clippy ;; esac
    command -v "$program" >/dev/null 2>&1 && cargo "${program#cargo-}" --version >/dev/null 2>&1 && continue
    [ -z "${DRIVELAB_NO_INSTALL:-}" ] && command -v rustup >/dev/null 2>&1 &&
        timeout -k 10 120 rustup component add "$tool" </dev/null >/dev/null 2>&1
    cargo "${program#cargo-}" --version >/dev/null 2>&1 ||
        echo "test needs: $tool is missing: its check will be skipped (rustup component add $tool)"
done

wanted=$(missing_packages)
if [ -n "$wanted" ] && [ -z "${DRIVELAB_NO_INSTALL:-}" ]; then
    root=$(become_root)
    if [ -z "$root" ]; then
        echo "test needs: neither root nor sudo without a password: nothing is installed"
    elif ! command -v apt-get >/dev/null 2>&1; then
        echo "test needs: no apt-get here: nothing is installed"
    else
        echo "test needs: installing" $wanted
        # Word splitting is meant: one package a word.
        install_packages $wanted
    fi
fi

needs | while IFS='|' read -r commands package tested; do
    have_any "$commands" ||
        echo "test needs: ${commands%% *} is missing (package $package): tests of this are skipped: $tested"
done
[ -n "$(missing_packages)" ] || echo "test needs: all there"
exit 0
