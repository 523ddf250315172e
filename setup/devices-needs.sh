#!/bin/sh
# Installs what the laboratory of real kernels needs on this machine, where that may be done. The guest's own
# packages are not among them: those are fetched into target/devices, and never installed.
# It never fails: where something cannot be had, the laboratory says so and skips its cases.
set -u
who="devices need"
. "$(dirname "$0")/install.sh"

needs() {
    cat <<'TABLE'
qemu-system-x86_64|qemu-system-x86|the machine
mkfs.ext4|e2fsprogs|its disks
dpkg-deb|dpkg|its packages
/usr/share/OVMF/OVMF_CODE_4M.fd|ovmf|the firmware that starts from a stick
mdir|mtools|what is on a stick
TABLE
}

install_missing
needs | while IFS='|' read -r commands package purpose; do
    have_any "$commands" ||
        echo "$who: $commands is missing (package $package: $purpose): the cases are skipped"
done
exit 0
