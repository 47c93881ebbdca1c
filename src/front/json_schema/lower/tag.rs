//! The first words of descriptions: one per kind of body.

pub(super) const STRING: u32 = 0x4a53_0001;
pub(super) const KEY: u32 = 0x4a53_0002;
pub(super) const PATTERN: u32 = 0x4a53_0003;
pub(super) const NUMBER: u32 = 0x4a53_0004;
pub(super) const LITERAL: u32 = 0x4a53_0005;
pub(super) const ARRAY: u32 = 0x4a53_0006;
pub(super) const OBJECT: u32 = 0x4a53_0007;
pub(super) const UNION: u32 = 0x4a53_0008;
pub(super) const FRESH_TEXT: u32 = 0x4a53_0009;
pub(super) const UNIQUE: u32 = 0x4a53_000a;
pub(super) const SPACE: u32 = 0x4a53_000b;
pub(super) const HOST_NAME: u32 = 0x4a53_000c;
pub(super) const A_LABEL: u32 = 0x4a53_000d;
pub(super) const ANY_LABEL: u32 = 0x4a53_000e;
pub(super) const NUMBER_READER: u32 = 0x4a53_000f;
pub(super) const PLAIN_NUMBER: u32 = 0x4a53_0010;
pub(super) const RAW: u32 = 0x4a53_0011;
pub(super) const CONTENT: u32 = 0x4a53_0012;
pub(super) const ESCAPED: u32 = 0x4a53_0013;
