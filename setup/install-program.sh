#!/bin/sh
# Puts a built program, its man pages and its completions where shells and `man` look for them.
# Usage: install-program.sh PROGRAM PREFIX
set -eu
program=$1
prefix=$2
mkdir -p "$prefix/bin" "$prefix/share/man/man1" "$prefix/share/bash-completion/completions" \
    "$prefix/share/zsh/site-functions" "$prefix/share/fish/vendor_completions.d"
# Beside it first: a program that runs is not written over.
cp "$program" "$prefix/bin/drivelab.new"
chmod 755 "$prefix/bin/drivelab.new"
mv "$prefix/bin/drivelab.new" "$prefix/bin/drivelab"
"$prefix/bin/drivelab" man "$prefix/share/man/man1" 2>/dev/null
"$prefix/bin/drivelab" completions bash >"$prefix/share/bash-completion/completions/drivelab"
"$prefix/bin/drivelab" completions zsh >"$prefix/share/zsh/site-functions/_drivelab"
"$prefix/bin/drivelab" completions fish >"$prefix/share/fish/vendor_completions.d/drivelab.fish"
echo "installed $prefix/bin/drivelab, its man pages and completions"
case ":$PATH:" in
*":$prefix/bin:"*) ;;
*) echo "$prefix/bin is not in PATH: add it, so that shells find it" ;;
esac
