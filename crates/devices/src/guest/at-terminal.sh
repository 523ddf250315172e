#!/bin/sh
# at-terminal TYPED COMMAND: runs a command at a terminal of its own, and types that when it is asked to type something; what
# was on the screen comes out. Without an answer (-) somebody else writes it into /run/typed.
rm -f /run/typed /run/screen
mkfifo /run/typed
: > /run/screen
# Holds the terminal open: its end would be the end of the command's input.
sleep 1000 > /run/typed &
holder=$!
(
    until grep -q 'To continue, type' /run/screen; do sleep 0.1; done
    [ "$1" = - ] || printf "$1" > /run/typed
) &
typist=$!
script -qefc "$2" /run/screen < /run/typed > /run/script.log
code=$?
kill $holder $typist 2>/run/script.log
cat /run/screen
exit $code
