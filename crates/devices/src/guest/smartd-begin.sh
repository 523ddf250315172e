#!/bin/sh
# smartd-begin DEVICE: begins smartd on the drive, as a server has it, and waits until it watches it; `pkill -USR1 smartd` lets
# it look again at once. What it says is in /run/smartd.log.
echo "$1 -a" > /run/smartd.conf
smartd -d -n -q never -i 3600 -c /run/smartd.conf > /run/smartd.log 2>&1 &
daemon=$!
# It has looked once when it waits for the next time.
until grep -q -i 'monitoring.*device\|sleeping' /run/smartd.log; do
    kill -0 $daemon 2> /run/smartd.gone || { cat /run/smartd.log && exit 1; }
    sleep 0.2
done
