#!/bin/sh
# multipath-begin WWID: begins multipathd, as a server with two cables to one drive has it, and waits until it has made
# /dev/mapper/both of the drive's paths; what it says is in /run/multipathd.log.
modprobe dm-multipath && modprobe dm-round-robin || exit 1
mkdir -p /etc/multipath
cat > /etc/multipath.conf <<END
defaults {
    find_multipaths no
    polling_interval 1
    path_selector "round-robin 0"
    path_grouping_policy multibus
    # Without a path, I/O fails instead of waiting for one.
    no_path_retry fail
}
blacklist {
    wwid ".*"
}
blacklist_exceptions {
    wwid "$1"
}
multipaths {
    multipath {
        wwid "$1"
        alias both
    }
}
END
multipathd -d -v 2 > /run/multipathd.log 2>&1 &
daemon=$!
until [ -e /dev/mapper/both ] && [ "$(dmsetup table both | grep -o ' 1 1 *\| [0-9]*:[0-9]* ' | wc -l)" -gt 1 ]; do
    kill -0 $daemon 2> /run/multipathd.gone || { cat /run/multipathd.log && exit 1; }
    sleep 0.2
done
udevadm settle
