"""Random invocations: options as written by users and fuzzers, hostile names, good and damaged manifests.

Every case depends only on its seed. Choices are weighted towards what both programs accept, because two rejections of
the first option prove little.
"""

import base64
import hashlib
import random
import re

from programs import COREUTILS, Case

# Options: short, long, how they take a value.
DIGEST = [("b", "binary"), ("c", "check"), ("t", "text"), ("w", "warn"), ("z", "zero"), (None, "tag"), (None, "ignore-missing"),
          (None, "quiet"), (None, "status"), (None, "strict")]
OPTIONS = {
    "sum": [("r", None), ("s", "sysv")],
    "cksum": DIGEST + [(None, "base64"), (None, "raw"), (None, "debug"), (None, "untagged")],
    "b3sum": [("c", "check"), (None, "tag"), (None, "raw"), (None, "no-names"), (None, "no-mmap"), (None, "quiet"), (None, "keyed")],
}
VALUES = {"b2sum": [("l", "length")], "cksum": [("l", "length"), ("a", "algorithm")],
          "b3sum": [("l", "length"), (None, "seek"), (None, "num-threads"), (None, "derive-key")]}
ALGORITHMS = ["bsd", "sysv", "crc", "crc32b", "md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha2", "sha3", "blake2b", "sm3"]
CHECKING = ["warn", "ignore-missing", "quiet", "status", "strict"]
LENGTHS = ["8", "16", "128", "256", "512", "224", "384", "0", "520", "12", "1024", "-8", "+8", " 8", "08", "0x8", "8k", "", "abc",
           "99999999999999999999", "-99999999999999999999", "18446744073709551616", "18446744073709551615", "9223372036854775808",
           "\u00e9", "'", "8 ", "\t8", "-0", "+", "- 8", "1\n2"]
# No length near 2^64: both programs would write that much.
B3_LENGTHS = ["0", "1", "3", "32", "64", "65", "131", "1000", "70000", "18446744073709551616", "-1", "", "x", "+5", "1.5"]
# No large number of threads: the original starts that many.
THREADS = ["0", "1", "2", "8", "-1", "", "x", "+2", "18446744073709551616"]
B3_NUMBERS = ["0", "1", "3", "32", "64", "65", "131", "1000", "70000", "18446744073709551615", "18446744073709551616", "-1", "", "x", "+5", "1.5"]
LOCALES = ["C", "POSIX", "C.UTF-8", "C.utf8", "xx_YY.UTF-8", "de_DE.utf8", "C.ISO-8859-1", "", "UTF-8", "nonsense"]
HOSTILE = ["a", "b", "empty", "a b", " a", "a ", "-", "--", "-x", "--tag", "-c", "new\nline", "\n", "back\\slash", "\\", "carriage\rreturn",
           "a\r", "tab\tname", "quote'name", 'double"name', "'\"", "$HOME", "`id`", "*", "#comment", "~", "a:b", "(a)", "a) = b", "a  b",
           "\u00e9", "\u4e2d\u6587", "\u202eabc", "\u200b", "\ufffd", "\U0001f600", "e\u0301", "\u00a0", b"\xff", b"a\xc3", b"\xe2\x82x",
           "\x01", "\x7f", "\x1b[31m", "\x08\x0b\x0c\x07", "=", "!", "[x]", "{a,b}", "\\n", "\\\\", "n\\", "MD5 (a) = b", "a*", " *a", "\u2018q\u2019"]
TAGS = {"md5": "MD5", "sha1": "SHA1", "sha224": "SHA224", "sha256": "SHA256", "sha384": "SHA384", "sha512": "SHA512", "blake2b": "BLAKE2b",
        "sha3": "SHA3", "sm3": "SM3", "sha2": "SHA2", "crc": "CRC", "bsd": "BSD", "crc32b": "CRC32B", "sysv": "SYSV", "blake3": "BLAKE3"}


def digest(algorithm, bits, content):
    match algorithm:
        case "blake2b": return hashlib.blake2b(content, digest_size=max(1, min(64, bits // 8))).digest()
        case "sha2": return hashlib.new(f"sha{bits}", content).digest()
        case "sha3": return hashlib.new(f"sha3_{bits}", content).digest()
        case "sm3": return hashlib.new("sm3", content).digest() if "sm3" in hashlib.algorithms_available else bytes(32)
        case "crc" | "bsd" | "sysv" | "crc32b": return content[:4].ljust(4, b"\0")
        case "blake3": return BLAKE3(content)
        case _: return hashlib.new(algorithm, content).digest()


def BLAKE3(content):
    """Set by callers that can compute it."""
    return hashlib.sha256(content).digest()


def octets(text):
    return text if isinstance(text, bytes) else text.encode()


class Random(random.Random):
    def one_in(self, n):
        return self.randrange(n) == 0


def tree(random):
    files = {}
    for _ in range(random.randint(1, 6)):
        name = octets(random.choice(HOSTILE))
        if random.one_in(6):
            name = b"".join(octets(random.choice(HOSTILE)) for _ in range(2))[:200]
        if name in (b"-", b".", b"..") or b"/" in name:
            continue
        files[name] = content(random)
    if random.one_in(3):
        files[b"folder"] = None
        files[b"folder/a"] = content(random)
    if random.one_in(6):
        files[b"dangling"] = ("link", b"gone")
    if random.one_in(12):
        files[b"loop"] = ("link", b"loop")
    if random.one_in(12):
        files[b"link"] = ("link", b"folder")
    if random.one_in(12):
        files[b"socket"] = ("socket",)
    if random.one_in(8):
        files[b"secret"] = ("secret", b"not for you\n")
    return files


def content(random):
    length = random.choice([0, 1, 2, 7, 55, 56, 63, 64, 65, 111, 112, 127, 128, 129, 1000, 1023, 1024, 1025, 4096, 5000, 70000])
    if random.one_in(60):
        length = 300_000
    return bytes(random.getrandbits(8) for _ in range(min(length, 64))).ljust(length, b"\x5a")


def operand(random, files):
    kind = random.randrange(20)
    if kind == 0:
        return b"-"
    if kind == 1:
        return octets(random.choice(HOSTILE))
    if kind == 2:
        return random.choice([b"", b"nothing", b"nothing/a", b".", b"folder/", b"/dev/null", b"/dev/stdin", b"/proc/self/mem", b"a/b",
                              b"x" * 300, b"./a", b"folder/../a", b"/", b"//", b"secret", b"/proc/version"])
    name = random.choice(sorted(files) or [b"a"])
    return b"./" + name if random.one_in(5) else name


def option(random, program, checking):
    """Returns one option as a list of arguments."""
    values = VALUES.get(program, [])
    plain = OPTIONS.get(program, DIGEST)
    if not random.one_in(4 if checking else 8):
        plain = [row for row in plain if (row[1] in CHECKING) == checking and row[1] != "check"] or plain
    if random.one_in(40):
        return [random.choice([b"-x", b"--foo", b"--foo=bar", b"-", b"--", b"--help", b"--version", b"-h", b"-V", b"--=", b"-l", b"-a", b"--s", b"--t",
                               b"-\xff", b"--\xff\n", b"-'", b"--tag=1", b"-\xc3\xa9", b"--check=", b"-cx", b"--l", b"--algorithm", b"--seek"])]
    if values and random.one_in(3):
        short, long = random.choice(values)
        match long:
            case "length" if program != "b3sum": value = random.choice(LENGTHS[:8] if not random.one_in(4) else LENGTHS)
            case "algorithm":
                value = random.choice(ALGORITHMS)
                if random.one_in(15):
                    value = random.choice(["", "MD5", "sha", "sha22", "md", "\u00e9", "a'b", "x\ny", "blake2", "crc32"])
            case "derive-key": value = random.choice(["", "context", "\u00e9", "a b"])
            case "length": value = random.choice(B3_LENGTHS[:9] if not random.one_in(4) else B3_LENGTHS)
            case "num-threads": value = random.choice(THREADS)
            case _: value = random.choice(B3_NUMBERS[:9] if not random.one_in(4) else B3_NUMBERS)
        value = octets(value)
        if short and random.one_in(2):
            return [b"-" + short.encode() + value] if value and random.one_in(2) else [b"-" + short.encode(), value]
        long = cut(random, long, program)
        return [b"--" + long + b"=" + value] if random.one_in(2) else [b"--" + long, value]
    short, long = random.choice(plain)
    if short and (long is None or random.one_in(2)):
        return [b"-" + short.encode()]
    return [b"--" + cut(random, long, program)]


def cut(random, long, program):
    if random.one_in(4 if program != "b3sum" else 30):
        long = long[:random.randint(1, len(long))]
    return long.encode()


def gather(random, options):
    """Joins adjacent short options."""
    out = []
    for words in options:
        last = out[-1] if out else b""
        if len(words) == 1 and len(last) >= 2 and len(words[0]) == 2 and last[:1] == b"-" != last[1:2] and words[0][1:2] != b"-" and random.one_in(2) and last not in VALUED:
            out[-1] = last + words[0][1:]
        else:
            out.extend(words)
    return out


VALUED = (b"-l", b"-a")


def escape(name):
    if not any(byte in name for byte in b"\\\n\r"):
        return b"", name
    return b"\\", name.replace(b"\\", b"\\\\").replace(b"\n", b"\\n").replace(b"\r", b"\\r")


def algorithm_of(random, program, chosen):
    if program == "b3sum":
        return "blake3", 256
    if program == "b2sum":
        return "blake2b", random.choice([512, 512, 256, 8, 128, 504])
    name = chosen or (random.choice(ALGORITHMS) if program == "cksum" else program[:-3])
    if name not in TAGS:
        name = random.choice(["md5", "sha256"])
    bits = random.choice([224, 256, 384, 512]) if name in ("sha2", "sha3") else random.choice([512, 512, 256, 8]) if name == "blake2b" else 0
    return name, bits


def line(random, program, files, chosen):
    """Returns a line of a manifest, which is usually correct."""
    name = operand(random, files)
    algorithm, bits = algorithm_of(random, program, chosen)
    if random.one_in(12):
        algorithm, bits = algorithm_of(random, random.choice(COREUTILS[:8]), None)
    found = files.get(name.removeprefix(b"./"), b"")
    if isinstance(found, tuple) or found is None:
        found = b""
    value = digest(algorithm, bits, found)
    if random.one_in(6):
        value = bytes([value[0] ^ 1]) + value[1:]
    text = value.hex().encode()
    if program == "cksum" and random.one_in(4) or random.one_in(30):
        text = base64.b64encode(value)
    elif random.one_in(10):
        text = text.upper()
    mark, shown = escape(name)
    if random.one_in(20):
        mark, shown = random.choice([(b"\\", name), (b"", shown), (b"\\", name + b"\\t"), (b"\\", name + b"\\")])
    tag = TAGS[algorithm].encode()
    if algorithm == "sha2":
        tag = random.choice([b"SHA%d", b"SHA2-%d", b"SHA2-%d"]) % bits
    elif algorithm == "sha3" or algorithm == "blake2b" and (bits < 512 or random.one_in(10)):
        tag += random.choice([b"-%d"] * 6 + [b"-0%o", b"-0x%x", b"-0X%X", b"- %d", b"-+%d", b"-0%d", b"--%d", b"-%dx"]) % bits
    elif random.one_in(20):
        tag += random.choice([b"-8", b"-128", b"-0", b"-", b"-x"])
    tagged = program == "cksum" and not random.one_in(4) or random.one_in(3)
    if tagged:
        form = random.choice([b"%b (%b) = %b"] * 8 + [b"%b(%b)= %b", b"%b  (%b) = %b", b"%b (%b) =%b", b"%b (%b) =\t%b", b"%b (%b)  = %b", b"%b (%b) = %b "])
        text = form % (tag, shown, text)
    else:
        form = random.choice([b"%b  %b"] * 8 + [b"%b *%b"] * 2 + [b"%b %b", b"%b\t%b", b"%b \t%b", b"%b   %b", b"%b%b"])
        text = form % (text, shown)
    text = mark + text
    if random.one_in(20):
        text = random.choice([b" ", b"\t ", b"#", b"\\", b"\xef\xbb\xbf", b"\0"]) + text
    if random.one_in(15):
        at, byte = random.randrange(len(text)), bytes([random.choice(b"0aAfFgG()=* \t\\\r\n\0nr#x-MD5\xff\xc3+/")])
        text = random.choice([text[:at] + byte + text[at:], text[:at] + byte + text[at + 1:], text[:at] + text[at + 1:], text[:at]])
    return text


def manifest(random, program, files, chosen):
    if random.one_in(25):
        return random.choice([b"", b"\n", b"# x\n", b"\r\n\n", bytes(random.getrandbits(8) for _ in range(300)), b"x" * 5000, b"\n" * 50])
    count = random.choice([1, 1, 2, 3, 5, 9])
    end = b"\r\n" if random.one_in(8) else b"\0" if random.one_in(25) else b"\n"
    lines = [line(random, program, files, chosen) for _ in range(count)]
    if random.one_in(6):
        lines.insert(random.randrange(len(lines) + 1), random.choice([b"", b"# comment", b" # x", b"\r", b"nonsense", b" "]))
    text = end.join(lines)
    return text if random.one_in(10) else text + end


def case(seed, program):
    """Returns the case for this seed."""
    random_ = Random(seed)
    files = tree(random_)
    checking = program != "sum" and random_.random() < 0.5
    options = [option(random_, program, checking) for _ in range(random_.choice([0, 0, 0, 1, 1, 1, 2, 2, 4]))]
    chosen = None
    for words in options:
        for i, word in enumerate(words):
            name = word.split(b"=")[-1].removeprefix(b"-a").decode(errors="replace")
            if name in ALGORITHMS and program == "cksum":
                chosen = name
    if program == "cksum" and chosen is None and random_.one_in(2):
        chosen = random_.choice(ALGORITHMS)
        options.append([b"-a", chosen.encode()])
        if chosen in ("sha2", "sha3") and not checking:
            options.append([b"-l", random_.choice([b"224", b"256", b"384", b"512"])])
        if chosen in ("crc", "crc32b") and random_.one_in(2):
            options.append([b"--debug"])
    if checking:
        options.append([random_.choice([b"-c", b"--check", b"-c", b"--ch"]) if program != "b3sum" else random_.choice([b"-c", b"--check"])])
    random_.shuffle(options)
    args = gather(random_, options)
    stdin = random_.choice(["null"] * 12 + ["closed"] * 3 + ["folder", "writeonly"])
    operands = []
    if checking:
        for i in range(random_.choice([1, 1, 1, 1, 2, 0])):
            text = manifest(random_, program, files, chosen)
            if stdin == "null" and random_.one_in(4):
                stdin = (random_.choice(["pipe", "file"]), text)
                operands.append(b"-")
            else:
                name = random_.choice([b"SUMS", b"a sum's", b"sums\n"]) + str(i).encode()
                files[name] = text
                operands.append(name)
        if program == "b3sum" and isinstance(stdin, tuple):
            # The original deadlocks if a manifest on standard input contains standard input.
            stdin = (stdin[0], re.sub(rb"(?m)  -(?=[\r\n\0]|\Z)", b"  a", stdin[1]).replace(b"(-)", b"(a)"))
        if operands == [b"-"] and random_.one_in(2):
            operands = []
    else:
        operands = [operand(random_, files) for _ in range(random_.choice([0, 1, 1, 1, 2, 3, 6]))]
        if stdin == "null" and random_.one_in(2):
            stdin = (random_.choice(["pipe", "file"]), content(random_)[:70000])
    if program == "b3sum" and b"--keyed" in args and random_.one_in(2):
        stdin = ("pipe", b"k" * random_.choice([32, 32, 32, 31, 33, 0]))
    operands += [operand(random_, files)] if random_.one_in(30) else []
    if any(name.startswith(b"-") for name in operands) and random_.one_in(2) or random_.one_in(10):
        operands.insert(0, b"--")
    elif random_.one_in(8) and args and operands:
        args, operands = operands, args
    env = {}
    for name in ("LC_ALL", "LC_CTYPE", "LANG"):
        if random_.one_in(2):
            env[name] = random_.choice(LOCALES)
    if random_.one_in(30):
        env["POSIXLY_CORRECT"] = random_.choice(["", "1"])
    if program == "cksum" and random_.one_in(10):
        env["GLIBC_TUNABLES"] = "glibc.cpu.hwcaps=" + random_.choice(["-AVX512F", "-AVX2", "-AVX", "-PMULL", "-AVX512F,-AVX2,-AVX,-PMULL", "-AVX2,-AVX512F",
                                                                       "-AVX512F,-AVX2,-AVX:glibc.malloc.check=1", "AVX2", "-avx2", "-AVX512F,-AVX2_Usable", "-PCLMULQDQ,-AVX512F,-AVX2", ""])
    return Case(
        program, args + operands, files, stdin,
        random_.choice(["captured"] * 30 + ["closed", "full", "readonly"]),
        random_.choice(["captured"] * 30 + ["closed", "full", "readonly"] + ["merged"] * 6),
        env, random_.choice([b""] * 8 + [b"/usr/bin/", b"./"]),
    )
