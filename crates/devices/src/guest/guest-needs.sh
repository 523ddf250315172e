#!/bin/sh
# guest-needs THING...: loads each module:NAME and looks for each program:NAME; ends with 77 and the reason where one is
# missing, so that the case is skipped.
for thing; do
    name=${thing#*:}
    case $thing in
        module:*) modprobe -q "$name" || { echo "the guest's kernel $(uname -r) has no $name"; exit 77; } ;;
        program:*) command -v "$name" > /tmp/needs || { echo "the guest has no $name"; exit 77; } ;;
        *) echo "guest-needs: $thing is neither module: nor program:"; exit 1 ;;
    esac
done
