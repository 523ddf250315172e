#!/bin/sh
# udisks-begin DEVICE: begins udisksd, and the bus that it is asked by, as a desktop has them, and waits until it knows the
# device; what it says is in /run/udisks.log.
# Where everybody looks for it; the guest's own /var/run is a folder.
mkdir -p /var/run/dbus
dbus-uuidgen --ensure=/etc/machine-id
# The package's own configuration wants a user that nobody has made here.
cat > /run/bus.conf <<'END'
<busconfig>
  <type>system</type>
  <listen>unix:path=/var/run/dbus/system_bus_socket</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow own="*"/>
    <allow send_destination="*"/>
    <allow receive_sender="*"/>
  </policy>
</busconfig>
END
dbus-daemon --config-file=/run/bus.conf --fork || exit 1
/usr/libexec/udisks2/udisksd > /run/udisks.log 2>&1 &
daemon=$!
until udisksctl info -b "$1" > /run/udisks.known 2>&1; do
    kill -0 $daemon || { cat /run/udisks.log && exit 1; }
    sleep 0.2
done
