#!/bin/sh
# emulate-end SIGNAL: ends the server of emulate-as (INT switches the drive off, KILL cuts its power), and takes away what
# stood between it and the kernel. What is mounted loses its drive first, where that is meant.
[ -e /run/emulator ] || exit 0
pid=$(cat /run/emulator) device=$(cat /run/emulated)
exec 3>&2 2>/run/away.log
server_ends() {
    kill -"$1" "$pid"
    while kill -0 "$pid"; do sleep 0.1; done
}
[ "$1" != KILL ] || server_ends KILL
umount /mnt || umount -l /mnt
case $device in
    /dev/loop*) losetup -d "$device" ;;
    /dev/nbd*) nbd-client -d "$device" ;;
esac > /run/away.log
[ "$1" = KILL ] || server_ends "$1"
case $device in
    /dev/loop*) pkill -KILL qemu-storage-da; umount -l /run/emulated.file ;;
esac
rm -f /run/emulator
udevadm settle
