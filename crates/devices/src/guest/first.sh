#!/bin/busybox sh
# The first program: loads what leads to the root, and goes there.
busybox=/bin/busybox
$busybox mount -t devtmpfs dev /dev
$busybox mount -t sysfs sys /sys
LOAD_MODULES
# Names depend on the order of probing: the root is known by its serial number.
tries=0
while [ $tries -lt 300 ]; do
    for disk in /sys/block/vd*; do
        [ "$($busybox cat $disk/serial 2>/dev/null)" = guest-root ] || continue
        $busybox mount -t ext4 /dev/${disk##*/} /root && exec $busybox switch_root /root /init
    done
    tries=$((tries + 1))
    $busybox sleep 0.1
done
echo "the root did not appear"
$busybox poweroff -f
