//! Compiles the calls of the target `c_abi`, which are in C so that the header is what they are checked against.

fn main() {
    println!("cargo:rerun-if-changed=c_abi/calls.c");
    println!("cargo:rerun-if-changed=../include/maskwright.h");
    cc::Build::new()
        .file("c_abi/calls.c")
        .include("../include")
        .std("c99")
        .warnings_into_errors(true)
        .compile("maskwright_fuzz_calls");
}
