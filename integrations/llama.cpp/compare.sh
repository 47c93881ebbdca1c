#!/usr/bin/env bash
# Tokens per second of the example: unconstrained, under maskwright, under llama.cpp's own grammars (GBNF), and under
# llguidance by llama.cpp's own adapter; one model, one run, values of one schema. `compare.sh N` writes N with each.
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
count="${1:-20}"

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

run() {
    "$build/generate" --model "$model" --schema "$here/person.schema.json" --gbnf "$here/person.gbnf" --compact \
        --turns "$count" --max-tokens 150 --threads 1 "$@" 2>&1 >/dev/null | grep tokens/s
}
run --engines none,maskwright,gbnf,llguidance
echo "values that come to an end; what must come next in one batch with what is before it, and one by one:"
run --end-bias 12
run --end-bias 12 --one-by-one
