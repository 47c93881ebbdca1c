#!/usr/bin/env bash
# Builds the sampler and the example against llama.cpp, and has a random model write turns and texts of every language. Each turn
# must be complete and valid; texts under grammars in GBNF (those of the tests, and of the folder GBNF_DIR, if it is set) are read by llama.cpp's own
# sampler as far as they go. `test.sh N KIND…` writes N of each kind, or of those that are named; the default is 4 of each. The judge is maskwright's
# command line, which is built unless MASKWRIGHT names one.
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
count="${1:-4}"
kinds="${*:2}"
out="$cache/turns"
mkdir -p "$out"
build_with "$build" -DMASKWRIGHT_LIBRARY="$target/release/libmaskwright.a" -DLLGUIDANCE_DIR=
maskwright="${MASKWRIGHT:-$target/release/maskwright}"
[ -n "${MASKWRIGHT:-}" ] || (cd "$root" && cargo build --locked --release -p maskwright-cli)
tools="$root/examples/tools.json"

echo "the sampler: candidates, errors, clones"
"$build/sampler-test" "$model"

prompt='<|start|>user<|message|>What is the weather?<|end|><|start|>assistant'
seed=0
asked() { # whether turns of a kind are asked for
    seed=$((seed + 1000))
    [ -z "$kinds" ] || [[ " $kinds " = *" $1 "* ]]
}
write() { # name, then options of the example
    local name=$1
    shift
    echo "turns: $name"
    # One thread: the model is small, and the machine may be busy.
    "$build/generate" --model "$model" --turns "$count" --max-tokens 2000 --threads 1 --end-bias 12 --json \
        --seed "$seed" --prompt "$prompt" "$@" >"$out/$name.jsonl" 2>"$out/$name.log" ||
        { cat "$out/$name.log" >&2; return 1; }
    tail -n 1 "$out/$name.log"
    [ "$(wc -l <"$out/$name.jsonl")" -eq "$count" ]
}
# The judge is the parser of transcripts, which shares no code with the engine.
chat() { # name, white space, format, options of example and judge
    local name=$1 space=$2 format=$3
    shift 3
    write "$name" ${space:+"$space"} --format "$format" "$@"
    python "$here/texts.py" <"$out/$name.jsonl" |
        "$maskwright" check --format "$format" "$@" --jsonl >"$out/$name.verdicts" ||
        { cat "$out/$name.verdicts" >&2; return 1; }
}

asked auto && chat auto "" harmony --tools "$tools"
asked parallel && chat parallel --compact harmony --tools "$tools" --parallel
asked required && chat required --compact harmony --tools "$tools" --tool-choice required
asked named && chat named "" harmony --tools "$tools" --tool-choice search_library --no-analysis
asked response && chat response "" harmony --response-schema "$here/person.schema.json"
# The vocabulary has none of this format's control tokens: they are spelt.
asked spelt && chat spelt --compact openchatml-2.2 --tools "$tools"
if asked values; then
    write values --schema "$here/person.schema.json"
    python "$here/texts.py" "$here/person.schema.json" <"$out/values.jsonl" >/dev/null
fi
# Every other language; of grammars in GBNF, llama.cpp's own sampler is the judge.
own=(--gbnf "$here/person.gbnf" --read-back)
if asked gbnf; then
    write gbnf "${own[@]}"
    python "$here/texts.py" "$here/person.schema.json" <"$out/gbnf.jsonl" >/dev/null
    for grammar in "$root"/tests/data/gbnf/*.gbnf ${GBNF_DIR:+"$GBNF_DIR"/*.gbnf}; do
        # llama.cpp takes no left recursion: it reads those texts under a grammar that has the same and recurs to the right.
        peer="${grammar%.gbnf}-right.gbnf"
        [ -f "$peer" ] || peer="$grammar"
        write "gbnf-$(basename "$grammar" .gbnf)" --gbnf "$grammar" --peer-gbnf "$peer" --read-back --max-tokens 100
    done
fi
if asked lark; then
    write lark --lark "$here/person.lark"
    python "$here/texts.py" "$here/person.schema.json" <"$out/lark.jsonl" >/dev/null
fi
if asked regex; then
    write regex --regex '[A-Z][a-z]{1,8}( [A-Z][a-z]{1,8}){0,2}'
    python "$here/texts.py" <"$out/regex.jsonl" >/dev/null
fi
if asked choice; then
    printf '["yes", "no", "I do not know"]' >"$out/choice.json"
    write choice --choice "$out/choice.json"
    python "$here/texts.py" <"$out/choice.jsonl" | grep -cE '"(yes|no|I do not know)"' >"$out/choice.count"
    [ "$(cat "$out/choice.count")" -eq "$count" ]
fi
if asked tag; then
    write tag --structural-tag "$here/person.tag.json"
    python "$here/texts.py" <"$out/tag.jsonl" >/dev/null
fi
echo "integrations/llama.cpp: all passed"
