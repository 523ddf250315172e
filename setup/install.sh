# Sourced by the scripts beside it: installs packages of the distribution where that may be done.
# The script that sources it has a function `needs` that prints lines `command or commands|package|what for`,
# and a variable `who` that begins each message. Nothing here fails or waits for an answer.
PATH="$PATH:/usr/sbin:/sbin"
export DEBIAN_FRONTEND=noninteractive

have_any() {
    for name in $1; do
        command -v "$name" >/dev/null 2>&1 && return 0
        # A path is of a file that need not be a program.
        case $name in /*) [ -e "$name" ] && return 0 ;; esac
    done
    return 1
}

missing_packages() {
    needs | while IFS='|' read -r commands package _; do
        have_any "$commands" || echo "$package"
    done
}

# Empty when this user may not install.
become_root() {
    if [ "$(id -u)" -eq 0 ]; then
        echo env
    elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
        echo "sudo -n env"
    fi
}

# Every wait of apt has an end: a lock held by another apt, a mirror that does not answer, the whole.
apt() {
    seconds=$1
    shift
    $root DEBIAN_FRONTEND=noninteractive timeout -k 10 "$seconds" apt-get -qq \
        -o Acquire::http::Timeout=20 -o Acquire::https::Timeout=20 -o Acquire::Retries=1 \
        -o DPkg::Lock::Timeout=60 "$@" </dev/null >/dev/null 2>&1
}

install_packages() {
    apt 120 update || {
        echo "$who: the package lists cannot be fetched (no network?)"
    }
    apt 600 install -y --no-install-recommends "$@" && return 0
    # One that cannot be had must not keep the others out.
    for package in "$@"; do
        apt 300 install -y --no-install-recommends "$package" || true
    done
}

# Installs what is missing, unless DRIVELAB_NO_INSTALL is set, and says why where it cannot.
install_missing() {
    wanted=$(missing_packages)
    [ -n "$wanted" ] && [ -z "${DRIVELAB_NO_INSTALL:-}" ] || return 0
    root=$(become_root)
    if [ -z "$root" ]; then
        echo "$who: neither root nor sudo without a password: nothing is installed"
    elif ! command -v apt-get >/dev/null 2>&1; then
        echo "$who: no apt-get here: nothing is installed"
    else
        echo "$who: installing" $wanted
        # Word splitting is meant: one package a word.
        install_packages $wanted
    fi
}
