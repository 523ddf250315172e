#!/bin/sh
# wait-for-io DEVICE KIB [RATE]: waits until so much more has been read from it or written to it; with a rate, then until
# that goes on at less than so many KiB a second.
counters=/sys/class/block/${1##*/}/stat
kib() { awk '{ print int(($3 + $7) / 2) }' "$counters"; }
from=$(kib)
until [ $(($(kib) - from)) -ge "$2" ]; do sleep 0.1; done
[ -n "$3" ] || exit 0
while
    from=$(kib)
    sleep 0.5
    more=$(($(kib) - from))
    [ "$more" -eq 0 ] || [ $((more * 2)) -ge "$3" ]
do :; done
