#!/bin/sh
# Builds the packages below dist/: one static program that needs no library of the machine, an archive and a .deb
# of it, their SHA-256 sums, and a list of everything that is inside (SBOM, CycloneDX).
# Usage: packaging/build.sh [PROGRAM]; without one the release is built, statically.
set -eu
cd "$(dirname "$0")/.."
target=x86_64-unknown-linux-gnu
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
name=drivelab-$version-x86_64-linux

case $(uname -sm) in
"Linux x86_64") ;;
*) echo "packages: made on Linux x86_64 only" >&2; exit 1 ;;
esac

program=${1:-}
if [ -z "$program" ]; then
    # With --target the flags are the program's alone: what runs while it is built stays as it is.
    RUSTFLAGS="-C target-feature=+crt-static" cargo build --release --locked --target "$target" -p drivelab
    program=${CARGO_TARGET_DIR:-target}/$target/release/drivelab
fi
if ldd "$program" >/dev/null 2>&1 && ldd "$program" | grep -q '=>'; then
    echo "packages: $program needs libraries of this machine: it is not static" >&2
    exit 1
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p dist
rm -f dist/drivelab "dist/$name.tar.xz" "dist/drivelab_${version}_amd64.deb" dist/SHA256SUMS "dist/$name.cdx.json"

# The program by itself, for `drivelab fleet --program`.
install -m 755 "$program" dist/drivelab

# The archive: the tree below a prefix such as /usr/local.
sh setup/install-program.sh "$program" "$work/$name" >/dev/null
install -D -m 644 -t "$work/$name/share/doc/drivelab" LICENSE README.md CHANGELOG.md docs/*.md
install -D -m 644 -t "$work/$name/share/drivelab" packaging/systemd/* packaging/grafana/*
# Equal contents give equal bytes: the date is that of the commit.
date=$(git log -1 --format=%ct 2>/dev/null || echo 0)
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$date" -C "$work" -cJf "dist/$name.tar.xz" "$name"

# The .deb: the same tree in /usr, with the units where systemd looks for them.
root=$work/deb
mkdir -p "$root/DEBIAN" "$root/usr"
cp -a "$work/$name/." "$root/usr/"
install -D -m 644 -t "$root/usr/lib/systemd/system" packaging/systemd/*
rm -rf "$root/usr/share/drivelab"
install -D -m 644 -t "$root/usr/share/doc/drivelab/examples" packaging/grafana/*
mv "$root/usr/share/doc/drivelab/LICENSE" "$root/usr/share/doc/drivelab/copyright"
# Policy: shells' own folders, compressed manual pages.
mkdir -p "$root/usr/share/zsh/vendor-completions"
mv "$root/usr/share/zsh/site-functions/_drivelab" "$root/usr/share/zsh/vendor-completions/"
rmdir "$root/usr/share/zsh/site-functions"
find "$root/usr/share/man" -type f -exec gzip -9n {} +
sed -e "s/@VERSION@/$version/" -e "s/@SIZE@/$(du -sk "$root/usr" | cut -f1)/" packaging/debian/control >"$root/DEBIAN/control"
install -m 755 packaging/debian/prerm packaging/debian/postrm "$root/DEBIAN/"
(cd "$root" && find usr -type f -exec md5sum {} + | LC_ALL=C sort -k 2) >"$root/DEBIAN/md5sums"
SOURCE_DATE_EPOCH=$date dpkg-deb --root-owner-group -Zxz --build "$root" "dist/drivelab_${version}_amd64.deb" >/dev/null

sh packaging/sbom.sh "$version" "$target" >"dist/$name.cdx.json"

# An image, where something that builds one is here and answers.
for builder in docker podman; do
    if command -v "$builder" >/dev/null 2>&1 && timeout 20 "$builder" info >/dev/null 2>&1; then
        mkdir "$work/image"
        cp "$program" "$work/image/drivelab"
        "$builder" build -q -t "drivelab:$version" -f packaging/Containerfile "$work/image"
        image=$builder
        break
    fi
done
[ -n "${image:-}" ] || echo "packages: no image: neither docker nor podman answers here (packaging/Containerfile)"

(cd dist && sha256sum "$name.tar.xz" "drivelab_${version}_amd64.deb" "$name.cdx.json" >SHA256SUMS && cat SHA256SUMS)
