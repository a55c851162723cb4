//! Settings: written by the operator in one TOML file, the environment and flags; the later
//! overrides the earlier.
//!
//! An app declares its settings once with [`settings!`](crate::settings!): type, default and doc
//! comment. From that table come the struct, the defaults, the names of environment variables and
//! flags, the help texts, the sample file and the manual. Unknown keys are errors that name the
//! nearest known one and the line; unknown `SAKER_…` variables only warn, since the environment
//! belongs to others too.
//!
//! Not here: the meaning of the settings, and checks across several of them.

mod load;
mod nearest;
mod render;
mod schema;

pub use load::{Flag, Given, LoadedSettings, SettingPlace, SettingsError, Sources, load};
pub use nearest::nearest;
pub use render::{manual, sample};
pub use schema::{ENV_PREFIX, Key, NoSettings, Part, Schema, Section, defaults};

/// Declares one section, with its name in full.
///
/// ```
/// rt::section! {
///     /// Pings.
///     pub struct Pings in "collectors.icmp" {
///         /// Most of them at once.
///         pub at_once_max: u32 = "10",
///     }
/// }
/// assert_eq!(rt::settings::defaults::<Pings>().at_once_max, 10);
/// ```
#[macro_export]
macro_rules! section {
    (
        $(#[doc = $doc:literal])+
        $vis:vis struct $Section:ident in $section:literal { $($inner:tt)* }
    ) => {
        $crate::settings!(@section [$(#[doc = $doc])+] $vis $Section $section $($inner)*);

        impl $crate::settings::Part for $Section {
            const KEYS: &'static [$crate::settings::Key] = $Section::KEYS_HERE;
            const SECTIONS: &'static [$crate::settings::Section] =
                &[$crate::settings::Section { name: $section, docs: &[$($doc),+] }];
        }
    };
}

/// Several tables of keys or sections as one.
#[macro_export]
macro_rules! concat_settings {
    ($T:ty, $($part:expr),* $(,)?) => {{
        const PARTS: &[&[$T]] = &[$($part),*];
        const N: usize = {
            let (mut n, mut i) = (0, 0);
            while i < PARTS.len() {
                n += PARTS[i].len();
                i += 1;
            }
            n
        };
        const ALL: [$T; N] = {
            let mut all = [<$T>::NONE; N];
            let (mut n, mut i) = (0, 0);
            while i < PARTS.len() {
                let mut j = 0;
                while j < PARTS[i].len() {
                    all[n] = PARTS[i][j];
                    n += 1;
                    j += 1;
                }
                i += 1;
            }
            all
        };
        &ALL
    }};
}

/// Declares settings: a struct for the top level, one for each section, and the sections of other
/// crates.
///
/// Defaults are TOML. A setting that may be absent says `unset` and gives an example.
///
/// ```
/// rt::settings! {
///     /// Settings of the example.
///     pub struct Settings {
///         /// Where the data is kept.
///         pub data: std::path::PathBuf = r#""./data""#,
///         /// Threads; the number of cores if not given.
///         pub threads: Option<std::num::NonZeroUsize> = unset "4",
///     }
///     /// Web pages.
///     pub struct Http in http {
///         /// Address to listen on.
///         pub listen: std::net::SocketAddr = r#""127.0.0.1:8080""#,
///     }
/// }
/// let defaults = Settings::default();
/// assert_eq!(defaults.http.listen.port(), 8080);
/// assert_eq!(defaults.threads, None);
/// ```
#[macro_export]
macro_rules! settings {
    (
        $(#[doc = $doc:literal])+
        $vis:vis struct $Top:ident { $($top:tt)* }
        $(
            $(#[doc = $section_doc:literal])+
            $section_vis:vis struct $Section:ident in $section:ident { $($inner:tt)* }
        )*
        $( use $Part:ty as $part:ident; )*
    ) => {
        $crate::settings!(
            @top [$(#[doc = $doc])+] $vis $Top [$([$Section] $section)* $([$Part] $part)*] $($top)*
        );
        $( $crate::settings!(
            @section [$(#[doc = $section_doc])+] $section_vis $Section (stringify!($section)) $($inner)*
        ); )*

        impl $crate::settings::Schema for $Top {
            const KEYS: &'static [$crate::settings::Key] = $crate::concat_settings!(
                $crate::settings::Key,
                $Top::KEYS_HERE,
                $($Section::KEYS_HERE,)*
                $(<$Part as $crate::settings::Part>::KEYS,)*
            );
            const SECTIONS: &'static [$crate::settings::Section] = $crate::concat_settings!(
                $crate::settings::Section,
                $( &[$crate::settings::Section {
                    name: stringify!($section),
                    docs: &[$($section_doc),+],
                }], )*
                $(<$Part as $crate::settings::Part>::SECTIONS,)*
            );
        }

        impl Default for $Top {
            fn default() -> Self {
                let nothing = $crate::settings::Sources::default();
                $crate::settings::load(&nothing).expect("the defaults are valid").settings
            }
        }
    };
    (
        @top [$(#[$doc:meta])+] $vis:vis $Top:ident [$([$Section:ty] $section:ident)*]
        $( $(#[doc = $key_doc:literal])+ $key_vis:vis $key:ident: $ty:ty
            = $($default:literal)? $(unset $example:literal)? ),* $(,)?
    ) => {
        $(#[$doc])+
        #[derive(Clone, Debug, $crate::settings::Deserialize)]
        #[serde(crate = "::rt::settings::serde")]
        #[serde(deny_unknown_fields)]
        $vis struct $Top {
            $( $(#[doc = $key_doc])+ $key_vis $key: $ty, )*
            $( pub $section: $Section, )*
        }
        $crate::settings!(@keys $Top "" $( [$($key_doc),+] $key [$($default)?] [$($example)?] )*);
    };
    (
        @section [$(#[$doc:meta])+] $vis:vis $Section:ident $section:tt
        $( $(#[doc = $key_doc:literal])+ $key_vis:vis $key:ident: $ty:ty
            = $($default:literal)? $(unset $example:literal)? ),* $(,)?
    ) => {
        $(#[$doc])+
        #[derive(Clone, Debug, $crate::settings::Deserialize)]
        #[serde(crate = "::rt::settings::serde")]
        #[serde(deny_unknown_fields)]
        $vis struct $Section {
            $( $(#[doc = $key_doc])+ $key_vis $key: $ty, )*
        }
        $crate::settings!(
            @keys $Section $section
            $( [$($key_doc),+] $key [$($default)?] [$($example)?] )*
        );
    };
    (@keys $Struct:ident $section:tt $( [$($doc:literal),+] $key:ident [$($default:literal)?] [$($example:literal)?] )*) => {
        impl $Struct {
            const KEYS_HERE: &'static [$crate::settings::Key] = &[
                $( $crate::settings::Key {
                    section: $section,
                    name: stringify!($key),
                    docs: &[$($doc),+],
                    toml: concat!($($default)? $($example)?),
                    has_default: !([$($default,)? ""][0].is_empty()),
                }, )*
            ];
        }
    };
}

#[doc(hidden)]
pub use serde::{self, Deserialize};
pub use toml::Value;

#[cfg(test)]
mod tests;
