# Sourced by build.sh: Debian's packages, fetched with a state of their own, and the root that is made of them.

# The packages of a section of the list.
listed() {
    sed -n "s/^$1 \([^ ]*\).*/\1/p" "$here/packages"
}

# Where this machine's own packages come from, with the component that has the firmware.
sources() {
    # shellcheck disable=SC2016 # these are apt's variables
    apt-get indextargets --format '$(ORIGIN)|$(RELEASE)|$(REPO_URI)' 'Created-By: Packages' | grep '^Debian|' | sort -u |
        while IFS='|' read -r _ suite place; do
            printf 'Types: deb\nURIs: %s\nSuites: %s\nComponents: main non-free-firmware\n' "$place" "$suite"
            printf 'Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg\n\n'
        done
}

# In this state nothing is installed, so that apt fetches all that a package depends on.
fetch() {
    state=$work/apt
    mkdir -p "$state/lists/partial" "$state/archives/partial" "$state/boot"
    sources >"$state/stick.sources"
    [ -s "$state/stick.sources" ] || die "apt knows no source of Debian's packages here"
    : >"$state/status"
    cat >"$state/apt.conf" <<CONF
Dir::State "$state"; Dir::State::lists "$state/lists"; Dir::State::status "$state/status";
Dir::Cache "$state"; Dir::Cache::archives "$state/archives";
Dir::Etc::sourcelist "$state/stick.sources"; Dir::Etc::sourceparts "/dev/null";
APT::Architecture "amd64"; APT::Sandbox::User ""; Acquire::Languages "none"; Acquire::Retries "2";
Acquire::http::Timeout "30";
CONF
    export APT_CONFIG="$state/apt.conf"
    apt-get -qq update
    # What an earlier list or release has left in the folders is not taken: only what stands in these two lists.
    # shellcheck disable=SC2046 # one word a package
    apt-get -qq -s install --no-install-recommends $(listed root) |
        sed -n 's/^Inst \([^ ]*\) (\([^ ]*\) [^[]*\[\([^]]*\)\].*/\1 \2 \3/p' | sort >"$state/root.list"
    # shellcheck disable=SC2046
    apt-get -qq -y install --download-only --no-install-recommends $(listed root)
    # shellcheck disable=SC2046
    (cd "$state/boot" && apt-get -qq download $(listed boot))
    # shellcheck disable=SC2046
    apt-cache show --no-all-versions $(listed boot) |
        awk '{ field[$1] = $2 } /^$/ { print field["Package:"], field["Version:"], field["Architecture:"] }' |
        sort >"$state/boot.list"
    unset APT_CONFIG
}

# Lines of a list as the files that apt has made of them.
files() {
    sed 's/:/%3a/; s/ /_/g; s/$/.deb/' "$1"
}

left_out() {
    grep -v '^#' "$here/left-out" | while read -r start; do
        case $1 in "$start"*) echo yes && break ;; esac
    done
}

release_notes() {
    echo "drivelab $version, commit $(git rev-parse --short=12 HEAD 2>/dev/null || echo unknown), of $(date -u -d "@$SOURCE_DATE_EPOCH" +%F)"
    echo "Packages of Debian on the stick:"
    cat "$state/root.list" "$state/boot.list" | while read -r name number architecture; do
        [ -n "$(left_out "$name")" ] || echo "  $name $number $architecture"
    done
}

# Unpacks without running any package's script; a folder such as /lib stays the link to /usr/lib that it is.
unpack() {
    dpkg-deb --fsys-tarfile "$1" | tar -x --no-same-owner --keep-directory-symlink -C "$2"
}

make_root() {
    root=$work/root
    rm -rf "$root" "$work/starts"
    mkdir -p "$root/usr" "$work/starts"
    for name in bin sbin lib lib64; do
        mkdir "$root/usr/$name"
        ln -s "usr/$name" "$root/$name"
    done
    files "$state/root.list" | while read -r file; do
        [ -n "$(left_out "$file")" ] || unpack "$state/archives/$file" "$root"
    done
    files "$state/boot.list" | while read -r file; do
        unpack "$state/boot/$file" "$work/starts"
    done
    kernel=$(basename "$root"/usr/lib/modules/*)
    mv "$root/boot/vmlinuz-$kernel" "$work/kernel"
    keep_modules
    keep_firmware
    furnish
}

# A fifth of the kernel's modules: the listed parts, and what they depend on.
keep_modules() {
    modules=$root/usr/lib/modules/$kernel
    depmod -b "$root" "$kernel"
    grep -v '^#' "$here/modules" | sed 's,^,kernel/,' >"$work/parts"
    # A line of modules.dep is a module, a colon, and all that it needs.
    awk 'NR == FNR { part[$1]; next }
        { sub(":", "", $1); for (p in part) if (index($1, p) == 1) { for (i = 1; i <= NF; i++) print $i; break } }
    ' "$work/parts" "$modules/modules.dep" | sort -u >"$work/kept"
    mv "$modules/kernel" "$modules/all"
    while read -r module; do
        mkdir -p "$modules/${module%/*}"
        mv "$modules/all/${module#kernel/}" "$modules/$module"
    done <"$work/kept"
    rm -rf "$modules/all"
    depmod -b "$root" "$kernel"
}

# Of the firmware, what these modules name.
keep_firmware() {
    firmware=$root/usr/lib/firmware
    mv "$firmware" "$work/all-firmware"
    mkdir "$firmware"
    find "$modules/kernel" -name '*.ko*' -exec modinfo -F firmware {} + | sort -u | while read -r name; do
        # A name may hold a pattern, and a file may be a link to another of the same folder.
        for file in "$work/all-firmware"/$name; do
            [ -e "$file" ] || continue
            mkdir -p "$firmware/$(dirname "${file#"$work/all-firmware/"}")"
            cp -L "$file" "$firmware/${file#"$work/all-firmware/"}"
        done
    done
    rm -rf "$work/all-firmware"
}

# Whether a program finds its libraries in the root: a list of packages that are left out is easily too long.
runs_in_root() {
    found=$(find "$root/usr/bin" "$root/usr/sbin" -name "$1" | head -1)
    libraries=$root/usr/lib/x86_64-linux-gnu:$root/usr/lib/x86_64-linux-gnu/systemd:$root/usr/lib/systemd
    lacks=$("$root/lib64/ld-linux-x86-64.so.2" --library-path "$libraries" --list "$found" 2>&1 | grep -e 'not found' -e 'error while' || true)
    [ -z "$lacks" ] || die "$1 does not find its libraries: $lacks"
}

# What stands beside the packages: our files, the program, and busybox under the names of its tools.
furnish() {
    rm -rf "${root:?}/boot" "$root/usr/lib/udev/hwdb.d" "$root/usr/share/man" "$root/usr/share/locale" \
        "$root/usr/share/bug" "$root/usr/share/lintian" "$root/usr/share/info" "$root/usr/share/bash-completion" \
        "$root/usr/share/zsh" "$root/usr/share/initramfs-tools" "$root/etc/init.d" "${root:?}/var" "$root/lib/systemd/system"
    # Licences stay; other documentation does not.
    find "$root/usr/share/doc" -type f ! -name copyright -delete
    find "$root/usr/share/doc" -type l -delete
    mkdir -p "$root/proc" "$root/sys" "$root/dev" "$root/run" "$root/tmp" "$root/root" "$root/var/lib"
    cp -r "$here/root/." "$root/"
    install -m 755 "$program" "$root/usr/bin/drivelab"
    strip "$root/usr/bin/drivelab"
    install -D -m 644 LICENSE "$root/usr/share/doc/drivelab/copyright"
    ln -s bin/busybox "$root/init"
    for tool in $("$root/bin/busybox" --list); do
        [ -e "$root/usr/bin/$tool" ] || [ -e "$root/usr/sbin/$tool" ] || ln -s busybox "$root/usr/bin/$tool"
    done
    ln -s /proc/mounts "$root/etc/mtab"
    for program_of_it in drivelab smartctl nvme udevadm fsck.fat depmod; do
        runs_in_root "$program_of_it"
    done
}
