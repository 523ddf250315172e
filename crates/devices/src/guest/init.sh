#!/bin/busybox sh
# The guest's only service: udev for the names of drives, then the laboratory's agent.
export PATH=/programs:/usr/sbin:/usr/bin:/sbin:/bin
export DRIVELAB_STORE=/state/results.sqlite3 HOME=/root LANG=C.UTF-8 TERM=dumb
mount -t proc proc /proc
mountpoint -q /sys || mount -t sysfs sys /sys
mountpoint -q /dev || mount -t devtmpfs dev /dev
mkdir -p /dev/pts /dev/shm
mount -t devpts devpts /dev/pts
mount -t tmpfs run /run
mount -t tmpfs tmp /tmp
ln -sf /proc/mounts /etc/mtab
mkdir -p /run/lock /run/lvm /run/mdadm
echo 1 > /proc/sys/kernel/sysrq
dmesg -n 3

# Arrays, volumes and ways are put together by the cases that want them; names are those of a machine without multipath.
for rules in 64-md-raid-assembly 69-lvm 60-multipath 55-scsi-sg3_id 58-scsi-sg3_symlink; do
    ln -sf /dev/null /etc/udev/rules.d/$rules.rules
done
/lib/systemd/systemd-udevd --daemon
for subsystem in pci virtio usb scsi nvme block virtio-ports; do
    set -- "$@" --subsystem-match=$subsystem
done
udevadm trigger --type=devices --action=add "$@"
udevadm settle
# What these have brought up.
udevadm trigger --type=devices --action=add "$@"
udevadm settle

mount /dev/disk/by-id/virtio-guest-state /state || echo "no state disk"
mount -o ro /dev/disk/by-id/virtio-guest-programs /programs || echo "no programs"
cd /root
devices agent
echo "the agent has ended"
sync
poweroff -f
