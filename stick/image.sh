# Sourced by build.sh: the image, put together as a file. A GPT with two partitions: the data partition first, since
# some systems show only the first of a removable drive, then the one that the firmware starts from.

sector=512
mib=1048576

make_image() {
    identify
    make_initramfs
    make_start
    make_data
    assemble
}

# Identities follow from what is on the stick: other packages or another commit are another stick.
identify() {
    sum=$({ cat "$work/packages.txt" && sha256sum <"$root/usr/bin/drivelab"; } | sha256sum)
    guid() {
        echo "$sum" | cut -c "$1" | sed 's/\(.\{8\}\)\(.\{4\}\)\(.\{3\}\)\(.\{3\}\)\(.*\)/\1-\2-4\3-a\4-\5/'
    }
    disk_guid=$(guid 1-30)
    data_guid=$(guid 5-34)
    start_guid=$(guid 9-38)
    data_serial=$(echo "$sum" | cut -c 41-48)
    start_serial=$(echo "$sum" | cut -c 49-56)
}

# The whole root is unpacked into memory: nothing is read from the stick while drives are measured.
make_initramfs() {
    find "$root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
    (cd "$root" && find . -print0 | sort -z | cpio --quiet --null -o -H newc -R 0:0 --reproducible) |
        zstd -q -T2 -10 -f -o "$work/initramfs"
}

# A FAT32 file system of so many MiB: FILE MIB LABEL SERIAL HIDDEN-SECTORS. BIOS code reads the hidden sectors.
make_fat() {
    rm -f "$1"
    truncate -s "$2M" "$1"
    mkfs.fat --invariant -F 32 -s 1 -n "$3" -i "$4" -h "$5" "$1" >/dev/null
}

# Files keep their dates; folders are made with the date of SOURCE_DATE_EPOCH.
put() {
    touch -d "@$SOURCE_DATE_EPOCH" "$2"
    mcopy -m -i "$1" "$2" "::$3"
}

make_start() {
    esp=$work/start.img
    bytes=$(cat "$work/kernel" "$work/initramfs" | wc -c)
    # Kernel, root, boot loaders, and the file allocation tables.
    start_mib=$((bytes / mib + bytes / mib / 50 + 16))
    make_fat "$esp" "$start_mib" DRIVESTART "$start_serial" $(((1 + data_mib) * mib / sector))
    mmd -i "$esp" ::EFI ::EFI/BOOT ::EFI/debian ::drivelab
    put "$esp" "$work/kernel" drivelab/kernel
    put "$esp" "$work/initramfs" drivelab/root
    put "$esp" "$work/starts/usr/lib/shim/shimx64.efi.signed" EFI/BOOT/BOOTX64.EFI
    put "$esp" "$work/starts/usr/lib/shim/mmx64.efi.signed" EFI/BOOT/mmx64.efi
    put "$esp" "$work/starts/usr/lib/grub/x86_64-efi-signed/grubx64.efi.signed" EFI/BOOT/grubx64.efi
    options="drivelab.data=$data_guid fbcon=font:TER16x32 panic=30"
    for file in grub.cfg syslinux.cfg; do
        sed "s/@OPTIONS@/$options/" "$here/boot/$file" >"$work/$file"
    done
    put "$esp" "$work/grub.cfg" EFI/debian/grub.cfg
    put "$esp" "$work/syslinux.cfg" syslinux.cfg
    syslinux --install "$esp"
}

make_data() {
    make_fat "$work/data.img" "$data_mib" DRIVELAB "$data_serial" $((mib / sector))
    sed 's/$/\r/' "$here/boot/README.txt" >"$work/README.txt"
    put "$work/data.img" "$work/README.txt" README.txt
    put "$work/data.img" "$work/packages.txt" packages.txt
}

assemble() {
    mkdir -p "$(dirname "$image")"
    rm -f "$image"
    truncate -s $((1 + data_mib + start_mib + 1))M "$image"
    sfdisk -q "$image" <<TABLE
label: gpt
label-id: $disk_guid
start=1MiB, size=${data_mib}MiB, type=EBD0A0A2-B9E5-4433-87C0-68B6B72699C7, uuid=$data_guid, name="DRIVELAB"
size=${start_mib}MiB, type=U, uuid=$start_guid, name="drivelab start", attrs="LegacyBIOSBootable"
TABLE
    # A BIOS starts what is in the first 440 bytes.
    dd if="$work/starts/usr/lib/syslinux/mbr/gptmbr.bin" of="$image" bs=440 count=1 conv=notrunc status=none
    dd if="$work/data.img" of="$image" bs=1M seek=1 conv=notrunc,sparse status=none
    dd if="$work/start.img" of="$image" bs=1M seek=$((1 + data_mib)) conv=notrunc,sparse status=none
}
