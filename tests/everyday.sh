#!/usr/bin/env bash
# Tests the program without optional features: it has at most 12 MiB, and explains how to get missing features without offering them.
# usage: everyday.sh TRUESUM
set -euo pipefail
truesum=$1
size=$(stat -c %s "$truesum")
[ "$size" -le 12582912 ] || { echo "everyday.sh: $truesum has $size bytes, more than 12 MiB"; exit 1; }
for words in bench "bench limit" "bench --help"; do
    status=0
    # shellcheck disable=SC2086 # several words
    said=$("$truesum" $words 2>&1 >/dev/null) || status=$?
    [ $status = 2 ] && [ "$(wc -l <<<"$said")" = 2 ] && [[ $said == *"cargo install"*"--features full"* ]] ||
        { echo "everyday.sh: $words: status $status: $said"; exit 1; }
done
for words in --help "__complete" "__complete b" man; do
    # shellcheck disable=SC2086
    if "$truesum" $words | grep -w bench; then
        echo "everyday.sh: $words offers bench"
        exit 1
    fi
done
for words in "hash s3://bucket/data" "check --root gs://bucket SHA256SUMS" "check --expect d41d8cd98f00b204e9800998ecf8427e az://container/x" \
    "audit M s3://b/x" "tree s3://b/x" "shard plan -o p s3://b" "identify 00 s3://b/x" "diff s3://b/x M"; do
    status=0
    # shellcheck disable=SC2086
    said=$("$truesum" $words 2>&1 >/dev/null) || status=$?
    [ $status = 2 ] && [[ $said == *"cannot read object stores"*"cargo install"*"--features full,stores"* ]] ||
        { echo "everyday.sh: $words: status $status: $said"; exit 1; }
done
for words in "update s3://b/x" "hash -o s3://b/x f" "hash --root=gs://b f" "check --html az://c/x M" "shard plan -o s3://b/p f"; do
    status=0
    # shellcheck disable=SC2086
    said=$("$truesum" $words 2>&1 >/dev/null) || status=$?
    [ $status = 2 ] && [[ $said == *"://"*": object stores are not supported here"*"truesum hash s3://"* ]] ||
        { echo "everyday.sh: $words: status $status: $said"; exit 1; }
done
# What is packed with xz and zstd is named, with what unpacks it.
for words in "\375\067\172\130\132\000 xz" "\050\265\057\375 zstd"; do
    status=0
    # shellcheck disable=SC2059 # the bytes
    said=$(printf "${words% *}" | "$truesum" check - 2>&1) || status=$?
    [ $status = 2 ] && [[ $said == *"compressed with ${words#* }"*"--features full"*"${words#* } -dc FILE | truesum check -"* ]] ||
        { echo "everyday.sh: ${words#* }: status $status: $said"; exit 1; }
done
echo "everyday: $size bytes, and it explains how to get bench"
