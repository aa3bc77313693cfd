#!/usr/bin/env python3
"""One message and lanes against other libraries: the table of benchmarks/RESULTS.md.

usage: others.py PROGRAM

PROGRAM is the example `others` of crates/hash, built as a release. RHash's library (Debian's librhash0) hashes the same message of
1 MiB; times are processor time, the best of several calls. Prints the table, and every row that is slower than the better of
RHash's C and the library.
"""

import ctypes
import subprocess
import sys
import time

LEN, CALLS = 1 << 20, 7

# Numbers of RHash's hashes (rhash.h), by our names.
RHASH = {
    "crc32": 1 << 0, "md4": 1 << 1, "md5": 1 << 2, "sha1": 1 << 3, "tiger": 1 << 4, "tth": 1 << 5, "ed2k": 1 << 7, "aich": 1 << 8,
    "whirlpool": 1 << 9, "ripemd160": 1 << 10, "gost94": 1 << 11, "gost94-cryptopro": 1 << 12, "has160": 1 << 13,
    "gost12-256": 1 << 14, "gost12-512": 1 << 15, "sha224": 1 << 16, "sha256": 1 << 17, "sha384": 1 << 18, "sha512": 1 << 19,
    "edonr256": 1 << 20, "edonr512": 1 << 21, "sha3-224": 1 << 22, "sha3-256": 1 << 23, "sha3-384": 1 << 24, "sha3-512": 1 << 25,
    "crc32c": 1 << 26, "snefru128": 1 << 27, "snefru256": 1 << 28, "blake2s": 1 << 29, "blake2b": 1 << 30,
}


def rhash_rates(names):
    """{name: MB/s of processor time} of those that the library has."""
    library = ctypes.CDLL("librhash.so.0")
    library.rhash_library_init()
    data = bytes((at * 2654435761 >> 24) & 255 for at in range(4096)) * (LEN // 4096)
    out = ctypes.create_string_buffer(130)
    rates = {}
    for name in names:
        if name not in RHASH:
            continue
        best = float("inf")
        for _ in range(CALLS):
            start = time.thread_time_ns()
            library.rhash_msg(RHASH[name], data, ctypes.c_size_t(LEN), out)
            best = min(best, time.thread_time_ns() - start)
        rates[name] = LEN * 1000 / best
    return rates


def main():
    lines = subprocess.run(sys.argv[1:], capture_output=True, text=True, check=True).stdout.splitlines()[1:]
    rows = [line.split("\t") for line in lines]
    rhash = rhash_rates([row[0] for row in rows])
    print("| algorithm | one message | lanes | of so many | RHash | a library | one message / the better of these |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    slower = []
    for name, one, lanes, messages, library in rows:
        others = [rate for rate in (rhash.get(name), float(library) if library != "-" else None) if rate]
        ratio = float(one) / max(others) if others else None
        if ratio and ratio < 1:
            slower.append(f"{name} {ratio:.2f}")
        shown = [f"{rhash[name]:.0f}" if name in rhash else "", "" if library == "-" else library, f"{ratio:.2f}" if ratio else ""]
        print(f"| `{name}` | {one} | {'' if lanes == '-' else lanes} | {messages if lanes != '-' else ''} | {' | '.join(shown)} |")
    print("\nslower in one message than the better of RHash and a library: " + (", ".join(slower) or "none"))


if __name__ == "__main__":
    main()
