//! The version of the library.

use super::text::MwText;

#[unsafe(no_mangle)]
extern "C" fn mw_version() -> u32 {
    const fn number(text: &str) -> u32 {
        let mut value = 0;
        let mut at = 0;
        while at < text.len() {
            value = value * 10 + (text.as_bytes()[at] - b'0') as u32;
            at += 1;
        }
        value
    }
    const VERSION: u32 = number(env!("CARGO_PKG_VERSION_MAJOR")) * 10_000
        + number(env!("CARGO_PKG_VERSION_MINOR")) * 100
        + number(env!("CARGO_PKG_VERSION_PATCH"));
    VERSION
}

#[unsafe(no_mangle)]
extern "C" fn mw_version_text() -> MwText {
    MwText::lent(Some(env!("CARGO_PKG_VERSION")))
}
