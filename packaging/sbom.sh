#!/bin/sh
# Prints what is in the program as CycloneDX JSON: every crate that is linked into it, with version and licence.
# Usage: packaging/sbom.sh VERSION TARGET
set -eu
version=$1
target=$2
cargo tree --locked -p drivelab -e normal --target "$target" --prefix none --format '{p}|{l}' |
    sed -e 's/ (\*)|/|/' -e 's/ (\*)$//' -e 's/ (proc-macro)//' | LC_ALL=C sort -u |
    awk -F'|' -v version="$version" '
        BEGIN {
            printf "{\n  \"bomFormat\": \"CycloneDX\",\n  \"specVersion\": \"1.5\",\n  \"version\": 1,\n"
            printf "  \"metadata\": {\"component\": {\"type\": \"application\", \"name\": \"drivelab\", \"version\": \"%s\"}},\n", version
            printf "  \"components\": ["
        }
        {
            # `name vVERSION`, and of our own crates the folder behind it.
            split($1, word, " ")
            ours = word[3] != ""
            if (ours || word[1] == "") next
            number = substr(word[2], 2)
            gsub(/\//, " OR ", $2)
            gsub(/ +OR +/, " OR ", $2)
            printf "%s\n    {\"type\": \"library\", \"name\": \"%s\", \"version\": \"%s\", \"purl\": \"pkg:cargo/%s@%s\", \"licenses\": [{\"expression\": \"%s\"}]}", comma, word[1], number, word[1], number, $2
            comma = ","
        }
        END { printf "\n  ]\n}\n" }'
