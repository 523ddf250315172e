#!/bin/sh
# emulate-as WAY ARGUMENT...: serves `drivelab emulate ARGUMENT...` by that way (nbd, ublk, fuse), and waits for the block
# device, whose name it leaves in /run/emulated; the server's process is in /run/emulator, what it says in /run/emulate.log.
way=$1
shift
rm -f /run/emulated /run/emulated.file
# The shell empties it only once the server's process begins: what an earlier one said would be taken for this one's.
: > /run/emulate.log
case $way in
    nbd) tells="socket=/run/emulated.sock" ;;
    ublk) tells="also as a block device" && set -- --ublk "$@" ;;
    fuse) tells="also as a file" && set -- --fuse /run/emulated.file "$@" ;;
    *) echo "emulate-as: no way $way" && exit 1 ;;
esac
drivelab emulate --nbd unix:/run/emulated.sock "$@" > /run/emulate.log 2>&1 &
echo $! > /run/emulator
until grep -q "$tells" /run/emulate.log; do
    kill -0 "$(cat /run/emulator)" || { cat /run/emulate.log && exit 1; }
    sleep 0.1
done
case $way in
    nbd) nbd-client -unix /run/emulated.sock /dev/nbd0 -nonetlink > /run/nbd.log 2>&1 || { cat /run/nbd.log && exit 1; }
         device=/dev/nbd0 ;;
    ublk) device=$(sed -n 's/.*also as a block device: //p' /run/emulate.log) ;;
    # Not in place of the page cache: a loop device that is given direct I/O at once asks the file for its block size.
    fuse) device=$(losetup --find --show /run/emulated.file) || exit 1 ;;
esac
echo "$device" > /run/emulated
udevadm settle
