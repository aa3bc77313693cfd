# Sourced by tests/run --full: installs the independent programs that the tests compare with. What cannot be installed is reported by the
# tests that need it.
packages=(apksigner apt-utils b3sum bindfs binutils busybox casync chromium cksfv coreutils cryptsetup-bin dpkg-dev faketime fdupes fish fonts-dejavu-core
    fsverity fuse3 git graphviz hashdeep isomd5sum jq man-db minisign mktorrent mtree-netbsd nix-bin openssl par2 perl parallel php-cli python3
    python3-crcmod python3-jsonschema python3-pexpect python3-pycryptodome python3-venv python3-yaml rclone rdfind rdiff rhash
    signify-openbsd strace util-linux valgrind xxhash xz-utils zsh zstd zsync)
missing=()
for package in "${packages[@]}"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        echo "installing: ${missing[*]}"
        # Package names alone: the machine's own sources decide where they come from.
        { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends "${missing[@]}"; } \
            >"$target/apt.log" 2>&1 || { tail -5 "$target/apt.log"; echo "could not install: ${missing[*]}"; }
    else
        echo "not installed: ${missing[*]} (run as root, or: apt-get install ${missing[*]})"
    fi
fi
# The machine's own Python is not changed; Debian's packages for it are seen.
venv=$target/venv
[ -x "$venv/bin/python3" ] || /usr/bin/python3 -m venv --system-site-packages "$venv"
"$venv/bin/pip" install --quiet --disable-pip-version-check ascmhl bagit cfv chkbit mfusepy ocfl-py playwright swh.model torf wheel ||
    echo "some Python packages could not be installed"
export PATH=$venv/bin:$PATH
