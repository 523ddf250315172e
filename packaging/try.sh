#!/bin/sh
# Installs the packages on fresh roots of Debian and runs them there; each line says what was tried.
# Usage: packaging/try.sh [SUITE ...]; needs root and mmdebstrap.
set -eu
cd "$(dirname "$0")/.."
deb=$(ls "$PWD"/dist/drivelab_*_amd64.deb)
archive=$(ls "$PWD"/dist/drivelab-*-x86_64-linux.tar.xz)
(cd dist && sha256sum --quiet -c SHA256SUMS) && echo "sums: good"
[ $# -gt 0 ] || set -- bullseye bookworm trixie
for suite; do
    root=$(mktemp -d)
    trap 'umount "$root/proc" 2>/dev/null; rm -rf --one-file-system "$root"' EXIT
    mmdebstrap --quiet --variant=apt "$suite" "$root" >/dev/null 2>&1 ||
        { echo "$suite: no root could be made"; rm -rf --one-file-system "$root"; continue; }
    mount -t proc proc "$root/proc"
    cp "$deb" "$root/drivelab.deb"
    in_root() { chroot "$root" env -i HOME=/home PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 sh -euc "$1"; }
    listed() { in_root 'find / -xdev -path /proc -prune -o -path /sys -prune -o -path /var/lib/apt -prune -o -path /var/lib/dpkg -prune -o -path /var/cache -prune -o -path /var/log -prune -o -print | LC_ALL=C sort'; }
    listed >"$root.before"
    in_root 'dpkg -i /drivelab.deb >/dev/null'
    in_root 'drivelab --version'
    in_root 'cd ~ && drivelab review . --scale quick --progress none >/dev/null 2>said; test -s report.html' &&
        echo "$suite: review . works"
    in_root 'drivelab run crystaldiskmark model:wd-black-sn770-1tb --scale quick --no-store >/dev/null' &&
        echo "$suite: a modelled drive works"
    in_root 'cd ~ && rm -rf report.html said .local; dpkg -r drivelab >/dev/null; dpkg -P drivelab >/dev/null 2>&1 || true'
    listed >"$root.after"
    if diff "$root.before" "$root.after"; then
        echo "$suite: nothing is left after it was removed"
    fi
    tar -C "$root/home" -xJf "$archive"
    in_root '~/drivelab-*/bin/drivelab drives sn770 >/dev/null' && echo "$suite: the archive runs"
    umount "$root/proc"
    rm -rf --one-file-system "$root" "$root.before" "$root.after"
done
