//! How long properties are tried.

/// How many cases a property is tried on, unless `PROPTEST_CASES` says otherwise.
pub(crate) fn cases(usual: u32) -> u32 {
    let asked = std::env::var("PROPTEST_CASES").ok();
    asked.and_then(|cases| cases.parse().ok()).unwrap_or(usual)
}
