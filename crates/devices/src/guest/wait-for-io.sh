#!/bin/sh
# wait-for-io DEVICE KIB: waits until so much more has been read from it or written to it.
counters=/sys/class/block/${1##*/}/stat
kib() { awk '{ print int(($3 + $7) / 2) }' "$counters"; }
from=$(kib)
until [ $(($(kib) - from)) -ge "$2" ]; do sleep 0.1; done
