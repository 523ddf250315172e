#!/bin/sh
# emulate-end SIGNAL: ends the server of emulate-as (INT switches the drive off, KILL cuts its power), and takes away what
# stood between it and the kernel.
pid=$(cat /run/emulator) device=$(cat /run/emulated)
umount -l /mnt 2>/run/umount.log
case $device in
    /dev/loop*) [ "$1" = KILL ] || losetup -d "$device" ;;
    /dev/nbd*) [ "$1" = KILL ] || nbd-client -d "$device" > /run/nbd.log 2>&1 ;;
esac
kill -"$1" "$pid"
while kill -0 "$pid" 2>/run/kill.log; do sleep 0.1; done
case $device in
    /dev/loop*) losetup -d "$device"; pkill -KILL qemu-storage-da; umount -l /run/emulated.file ;;
    /dev/nbd*) nbd-client -d "$device" ;;
esac > /run/away.log 2>&1
udevadm settle
