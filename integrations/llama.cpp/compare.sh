#!/usr/bin/env bash
# Tokens per second of the example: unconstrained, under maskwright, under llama.cpp's own grammars (GBNF), and under
# llguidance by llama.cpp's own adapter; one model, one run, values of one schema. `compare.sh N ROUNDS` writes N values with
# each, ROUNDS times in turn, and says what is typical and how far it spreads.
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
count="${1:-10}"
rounds="${2:-5}"

# llama.cpp's own build fetches llguidance by git; this is the same library from crates.io.
llguidance="$cache/llguidance"
if [ ! -e "$llguidance/libllguidance.a" ]; then
    mkdir -p "$llguidance"
    rm -rf "$llguidance/source"
    cp -r "$(crate llguidance)" "$llguidance/source"
    (cd "$llguidance/source" && CARGO_TARGET_DIR="$llguidance/build" cargo rustc --release --lib --crate-type staticlib)
    cp "$llguidance/build/release/libllguidance.a" "$llguidance/source/llguidance.h" "$llguidance"
fi
build_with "$build" -DMASKWRIGHT_LIBRARY="$target/release/libmaskwright.so" -DLLGUIDANCE_DIR="$llguidance"

run() { # what is special, then options of the example
    local special=$1
    shift
    "$build/generate" --model "$model" --schema "$here/person.schema.json" --peer-gbnf "$here/person.gbnf" --compact \
        --turns "$count" --seed "$((round * 1000))" --max-tokens 150 --threads 1 "$@" 2>&1 >/dev/null |
        sed -n "/tokens\/s/s/$/$special/p"
}
for round in $(seq "$rounds"); do
    run "" --engines none,maskwright,gbnf,llguidance
    # What must come next, in one batch with what is before it, and one by one.
    run " (values that end)" --end-bias 12
    run " (values that end, one by one)" --end-bias 12 --one-by-one
done | tee "$cache/compare.log"

python - "$cache/compare.log" <<'PYTHON'
import re, statistics, sys

found = {}
for line in open(sys.argv[1]):
    engine, tokens, forced, rate, special = re.fullmatch(
        r"(\w+) .* (\d+) tokens \((\d+) forced\).* processor: (\d+) tokens/s(.*)\n", line).groups()
    found.setdefault(engine + special, []).append((int(rate), int(tokens), int(forced)))
print("tokens a second of processor: median (least to most); forced tokens of all")
for name, rounds in found.items():
    rates, tokens, forced = zip(*rounds)
    print(f"{name}: {statistics.median(rates):.0f} ({min(rates)} to {max(rates)}); {sum(forced)} of {sum(tokens)}")
PYTHON
