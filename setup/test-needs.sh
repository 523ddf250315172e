#!/bin/sh
# Installs what some tests need beyond the toolchain, from the distribution's own packages, where it may
# (root, or sudo without a password, and apt-get). Where it may not, or the network is missing, it says
# what is missing and which tests will be skipped; the tests then name themselves in the closing summary.
# It never fails the build and never waits for an answer. DRIVELAB_NO_INSTALL=1 keeps it from installing.
set -u
who="test needs"
. "$(dirname "$0")/install.sh"

# command or commands or files (any will do) | package | what is tested with it
needs() {
    cat <<'TABLE'
chromium chromium-browser google-chrome|chromium|the HTML report in a real browser
fio|fio|the engine beside fio, and fio's output format
/usr/share/doc/fio/examples/zipf.fio|fio-examples|fio's own examples, run or refused
mkfs.ext4|e2fsprogs|files and the store on a small ext4, a full disk
mkfs.xfs|xfsprogs|files on xfs, file systems found on a device
mkfs.vfat|dosfstools|a file system without nameless files
mkfs.exfat|exfatprogs|file systems found on a device
mkfs.btrfs|btrfs-progs|file systems found on a device
mkfs.ntfs|ntfs-3g|a file system without nameless files and reservations
sfdisk|fdisk|partition tables found on a device
nbdcopy|libnbd-bin|an emulated drive with clients that are not ours, and a database on it
qemu-io|qemu-utils|an emulated drive read by QEMU
qemu-storage-daemon|qemu-system-common|an emulated drive as a file and as a virtual machine's disk
python3|python3|a database on an emulated drive whose power fails
TABLE
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

install_missing

# Package prometheus starts a server where it is installed: only its checker is taken out of it.
promtool=target/tools/promtool
if [ -z "${DRIVELAB_NO_INSTALL:-}" ] && [ ! -x "$promtool" ] && ! command -v promtool >/dev/null 2>&1 &&
    command -v apt-get >/dev/null 2>&1; then
    unpacked=$(mktemp -d)
    (cd "$unpacked" && timeout -k 10 300 apt-get download prometheus && dpkg -x prometheus_*.deb .) >/dev/null 2>&1 &&
        mkdir -p target/tools && mv "$unpacked/usr/bin/promtool" "$promtool"
    rm -rf "$unpacked"
fi
[ -x "$promtool" ] || command -v promtool >/dev/null 2>&1 ||
    echo "test needs: promtool is missing (package prometheus): tests of this are skipped: metrics as Prometheus reads them"

needs | while IFS='|' read -r commands package tested; do
    have_any "$commands" ||
        echo "test needs: ${commands%% *} is missing (package $package): tests of this are skipped: $tested"
done
[ -n "$(missing_packages)" ] || echo "test needs: all there"
exit 0
