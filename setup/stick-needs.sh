#!/bin/sh
# Installs what the image of a stick is put together with, where that may be done. What is on the stick itself is not
# among them: that is fetched into target/stick, and never installed.
# Exit code 1 where something is missing that cannot be had: there is no image then.
set -u
who="stick needs"
# shellcheck source=setup/install.sh
. "$(dirname "$0")/install.sh"

needs() {
    cat <<'TABLE'
apt-get|apt|packages of Debian
dpkg-deb|dpkg|unpacks them
depmod|kmod|lists the kernel's modules
cpio|cpio|the root
zstd|zstd|the root, compressed
mkfs.fat|dosfstools|both partitions
mcopy|mtools|files on them, without mounting
sfdisk|fdisk|the partition table
syslinux|syslinux|starts it on a BIOS
strip|binutils|a smaller program
TABLE
}

install_missing
missing=$(needs | while IFS='|' read -r commands package purpose; do
    have_any "$commands" || echo "$who: $commands is missing (package $package: $purpose)"
done)
[ -z "$missing" ] && exit 0
echo "$missing" >&2
exit 1
