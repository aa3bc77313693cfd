#!/usr/bin/env bash
# Runs the probe suite with the truesum in the given folder. Every case must be right or not applicable, with one
# exception: a plain manifest truncated at the end of a line cannot show that (M08), so a file that is missing from it
# is only reported there, and a failure with `check --exact`, which is tested too.
set -euo pipefail
bin=$(cd "$1" && pwd)
cd "$(dirname "$0")/faults"
export PATH="$bin:$PATH"
work=$(mktemp -d -t truesum-probe.XXXXXX)
chmod 755 "$work" # some cases run as nobody
trap 'rm -rf "$work"' EXIT
python3 probe.py profiles/truesum.json --slow --work "$work/w" --json "$work/result.json" >"$work/log"
python3 probe.py profiles/truesum-exact.json --only '^(M08|M32|B01)$' --work "$work/w" --json "$work/exact.json" >>"$work/log"
python3 - "$work/result.json" "$work/exact.json" <<'PY'
import json, sys
passed = failed = left_out = 0
for path, allowed in ((sys.argv[1], {'M08': 'lax (warns, exit 0)'}), (sys.argv[2], {})):
    for tool, cases in json.load(open(path)).items():
        for case, result in cases.items():
            verdict = result['verdict']
            if case == 'version':
                continue
            if verdict.startswith('n/a'):
                left_out += 1
                print(f'{tool}: {case}: {verdict}')
            elif verdict == 'right' or allowed.get(case) == verdict:
                passed += 1
            else:
                failed += 1
                print(f'{tool}: {case}: {verdict}', {k: v for k, v in result.items() if k != 'verdict'})
print(f'{passed + failed + left_out} bad inputs and failing disks: {passed} passed, {failed} failed, {left_out} not applicable')
sys.exit(failed > 0 or not passed)
PY
