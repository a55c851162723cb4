//! Limits of stored fields, from Zabbix's documentation, in characters unless a name says bytes.

pub const HOST_NAME_MAX: usize = 128;
pub const VISIBLE_NAME_MAX: usize = 128;
pub const NAME_MAX: usize = 255;
pub const KEY_MAX: usize = 2_048;
pub const TAG_MAX: usize = 255;
pub const MACRO_NAME_MAX: usize = 255;
pub const MACRO_VALUE_MAX: usize = 2_048;
pub const TEXT_FIELD_MAX: usize = 65_535;
/// Stored values of character items are cut to this.
pub const CHAR_VALUE_MAX: usize = 255;
/// Stored values of text and log items are cut to this.
pub const TEXT_VALUE_MAX: usize = 65_535;
/// Longer values are refused before anything is made of them.
pub const RAW_VALUE_BYTES_MAX: usize = 32 << 20;
pub const LOG_SOURCE_MAX: usize = 64;
/// Values more than this ahead of the server's clock are refused.
pub const FUTURE_MAX_SECS: i64 = 86_400;
/// Items below one master.
pub const DEPENDENT_MAX: usize = 29_999;
/// Levels of dependent items.
pub const DEPENDENT_LEVELS_MAX: usize = 3;
