# What test.sh and compare.sh share: tools, sources, the build and a model, all kept in target/llama.cpp and made
# once. To be sourced.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
root="$(cd "$here/../.." && pwd)"
target="$(realpath -m "${CARGO_TARGET_DIR:-$root/target}")"
cache="$target/llama.cpp"
mkdir -p "$cache/fetch/src"

# cmake, ninja, gguf and jsonschema, as PyPI has them.
if [ ! -e "$cache/python/ready" ]; then
    python3 -m venv "$cache/python"
    "$cache/python/bin/pip" install --quiet cmake==4.4.4 ninja==1.13.2 gguf==0.19.0 jsonschema==4.26.0
    touch "$cache/python/ready"
fi
export PATH="$cache/python/bin:$PATH"

# llama.cpp's sources are part of the crate llama-cpp-sys-2; the ranks of o200k are part of tiktoken-rs, and
# llguidance brings its C interface. Nothing of them is built by cargo here.
cat >"$cache/fetch/Cargo.toml" <<'TOML'
[package]
name = "fetch"
version = "0.0.0"
edition = "2021"
[dependencies]
llama-cpp-sys-2 = "=0.1.161"
llguidance = "=1.9.1"
tiktoken-rs = "=0.12.1"
[workspace]
TOML
touch "$cache/fetch/src/lib.rs"
crates="$(cargo metadata --quiet --format-version 1 --manifest-path "$cache/fetch/Cargo.toml")"
crate() { # the folder of a crate's sources
    python -c 'import json, os, sys
for package in json.load(sys.stdin)["packages"]:
    if package["name"] == sys.argv[1]:
        print(os.path.dirname(package["manifest_path"]))' "$1" <<<"$crates"
}
llama_cpp="$(crate llama-cpp-sys-2)/llama.cpp"
ranks="$(crate tiktoken-rs)/assets/o200k_base.tiktoken"

# The library for C. The shared one is for compare.sh: two static ones of Rust do not go together.
(cd "$root" && cargo build --locked --release -p maskwright-capi)

# ggml is built for this very processor, so a cache from another one is not used.
build="$cache/build-$(grep -m1 '^flags' /proc/cpuinfo | cksum | cut -d' ' -f1)"
build_with() { # folder, then definitions for cmake
    local folder=$1
    shift
    cmake -S "$here" -B "$folder" -G Ninja -DLLAMA_CPP_DIR="$llama_cpp" "$@" >"$folder.log" 2>&1 || {
        cat "$folder.log" >&2
        return 1
    }
    cmake --build "$folder"
}

model="$cache/tiny-harmony.gguf"
[ -e "$model" ] || { python "$here/tiny_model.py" "$ranks" "$model.part" && mv "$model.part" "$model"; }
