#!/bin/sh
# cut-power-twice FILE-SYSTEM WAY MODEL...: a file system on an emulated drive whose power fails twice while files are
# written. Each file that fsync had acknowledged, with its folder, must be whole when the drive is served again; at the
# end the file system's own program looks it over.
system=$1 way=$2
shift 2
kept=/state/kept
rm -rf $kept && : > /run/acknowledged
fail() { echo "$*" && tail -3 /run/emulate.log && exit 1; }

make_file_system() {
    case $system in
        ext4) mkfs.ext4 -q -F -E lazy_itable_init=0 "$1" 256M ;;
        xfs) mkfs.xfs -q -f -d size=320m "$1" ;;
        btrfs) mkfs.btrfs -q -f -b 256M "$1" ;;
        f2fs) mkfs.f2fs -q -f "$1" 524288 ;;
    esac
}
look_over() {
    # What the device said to an earlier reader is not what it says now.
    blockdev --flushbufs "$1"
    case $system in
        ext4) e2fsck -f -n "$1" ;;
        xfs) xfs_repair -n "$1" ;;
        btrfs) btrfs check --readonly "$1" ;;
        f2fs) fsck.f2fs --dry-run "$1" ;;
    esac > /run/fsck.log 2>&1 || { tail -5 /run/fsck.log && return 1; }
}
serve_and_mount() {
    emulate-as "$way" --keep $kept "$@" || fail "the drive is not served"
    device=$(cat /run/emulated)
    [ -s /run/acknowledged ] || make_file_system "$device" || fail "no $system can be made"
    mount -t "$system" "$device" /mnt || fail "$system cannot be mounted"
}
# Writes until the power fails; a name is noted outside of the drive once fsync has returned.
write_files() {
    number=$(wc -l < /run/acknowledged)
    while number=$((number + 1)); do
        yes "$number" | head -c $((number * 777 % 60000 + 1)) > /run/content
        dd if=/run/content of=/mnt/$number bs=64k conv=fsync 2>/run/dd.log && sync /mnt 2>/run/dd.log || return
        (cd /run && sha256sum content | sed "s/content/$number/") >> /run/acknowledged
    done
}
all_there() { [ ! -s /run/acknowledged ] || (cd /mnt && sha256sum --quiet -c /run/acknowledged) || fail "acknowledged files are lost"; }

for cut in 1 2; do
    serve_and_mount "$@"
    all_there
    write_files &
    writer=$!
    until [ "$(wc -l < /run/acknowledged)" -ge $((cut * 8)) ]; do
        kill -0 $writer || fail "writing ended by itself: $(cat /run/dd.log)"
        sleep 0.05
    done
    # Whoever still writes finds the drive gone before the file system is.
    kill -KILL "$(cat /run/emulator)"
    wait $writer
    emulate-end KILL
done
serve_and_mount "$@"
all_there
umount /mnt
look_over "$device" || fail "the file system is damaged"
emulate-end INT
echo "$(wc -l < /run/acknowledged) files, all there"
