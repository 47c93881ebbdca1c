#!/usr/bin/env bash
# Builds the sampler and the example against llama.cpp, and has a random model write turns, each of which must
# be complete and valid. `test.sh N` writes N of each kind; the default is 4. The judge is maskwright's command line, which is
# built unless MASKWRIGHT names one.
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
count="${1:-4}"
out="$cache/turns"
mkdir -p "$out"
build_with "$build" -DMASKWRIGHT_LIBRARY="$target/release/libmaskwright.a" -DLLGUIDANCE_DIR=
maskwright="${MASKWRIGHT:-$target/release/maskwright}"
[ -n "${MASKWRIGHT:-}" ] || (cd "$root" && cargo build --locked --release)
tools="$root/examples/tools.json"

echo "the sampler: candidates, errors, clones"
"$build/sampler-test" "$model"

prompt='<|start|>user<|message|>What is the weather?<|end|><|start|>assistant'
write() { # name, then options of the example
    local name=$1
    shift
    echo "turns: $name"
    # One thread: the model is small, and the machine may be busy.
    "$build/generate" --model "$model" --turns "$count" --max-tokens 2000 --threads 1 --end-bias 12 --json \
        --prompt "$prompt" "$@" >"$out/$name.jsonl" 2>"$out/$name.log" || { cat "$out/$name.log" >&2; return 1; }
    tail -n 1 "$out/$name.log"
    [ "$(wc -l <"$out/$name.jsonl")" -eq "$count" ]
}
# The judge is the parser of transcripts, which shares no code with the engine.
chat() { # name, format, options of both
    local name=$1 format=$2
    shift 2
    write "$name" --format "$format" "$@" ${EXTRA:-}
    python "$here/texts.py" <"$out/$name.jsonl" |
        "$maskwright" check --format "$format" "$@" --jsonl >"$out/$name.verdicts" ||
        { cat "$out/$name.verdicts" >&2; return 1; }
}

seed=1000
next() { seed=$((seed + 1000)); }
chat auto harmony --tools "$tools"
next; EXTRA="--compact --seed $seed" chat parallel harmony --tools "$tools" --parallel
next; EXTRA="--compact --seed $seed" chat required harmony --tools "$tools" --tool-choice required
next; EXTRA="--seed $seed" chat named harmony --tools "$tools" --tool-choice search_library --no-analysis
next; EXTRA="--seed $seed" chat response harmony --response-schema "$here/person.schema.json"
# The vocabulary has none of this format's control tokens: they are spelt.
next; EXTRA="--compact --seed $seed" chat spelt openchatml-2.2 --tools "$tools"
next; write values --schema "$here/person.schema.json" --seed "$seed"
python "$here/texts.py" "$here/person.schema.json" <"$out/values.jsonl" >/dev/null
echo "integrations/llama.cpp: all passed"
