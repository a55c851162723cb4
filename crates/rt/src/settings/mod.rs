//! Settings: what the operator writes, in one TOML file, the environment and flags; the later
//! overrides the earlier.
//!
//! An app declares its settings once with [`settings!`](crate::settings!): type, default and doc
//! comment. From that table come the struct, the defaults, the names of environment variables and
//! flags, the help texts, the sample file and the manual. Unknown keys are errors that name the
//! nearest known one and the line; unknown `SAKER_…` variables only warn, since the environment
//! belongs to others too.
//!
//! Not here: what the settings mean, and checks across several of them.

mod load;
mod nearest;
mod render;

use serde::de::DeserializeOwned;

pub use load::{Flag, Loaded, Place, SettingsError, Sources, load};
pub use nearest::nearest;
pub use render::{manual, sample};

/// Environment variables of Saker start with this.
pub const ENV_PREFIX: &str = "SAKER_";

/// One setting, as declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// Name of the TOML table; empty at the top.
    pub section: &'static str,
    pub name: &'static str,
    /// Lines of the doc comment.
    pub docs: &'static [&'static str],
    /// TOML of the default, or of an example if there is none.
    pub toml: &'static str,
    pub has_default: bool,
}

/// A section, as declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    pub name: &'static str,
    pub docs: &'static [&'static str],
}

impl Section {
    #[doc(hidden)]
    pub const NONE: Self = Self { name: "", docs: &[] };
}

impl Key {
    #[doc(hidden)]
    pub const NONE: Self = Self { section: "", name: "", docs: &[], toml: "", has_default: false };

    /// `section.name`, as messages and `nearest` use it.
    #[must_use]
    pub fn path(&self) -> String {
        match self.section {
            "" => self.name.to_owned(),
            section => format!("{section}.{}", self.name),
        }
    }

    /// `SAKER_SECTION_NAME`.
    #[must_use]
    pub fn env(&self) -> String {
        format!("{ENV_PREFIX}{}", self.path().replace('.', "_").to_uppercase())
    }

    /// `section-name`, without the dashes in front.
    #[must_use]
    pub fn flag(&self) -> String {
        self.path().replace(['.', '_'], "-")
    }

    /// The doc comment as one text, paragraphs apart.
    #[must_use]
    pub fn help(&self) -> String {
        self.docs.iter().map(|it| it.trim()).collect::<Vec<_>>().join("\n")
    }

    /// A text from the environment or a flag as a value of the setting's TOML type.
    /// What doesn't fit stays text, and is refused with the type that was expected.
    #[must_use]
    pub fn parse_text(&self, text: &str) -> toml::Value {
        let as_text = || toml::Value::String(text.to_owned());
        match self.value() {
            toml::Value::String(_) => as_text(),
            other => parse_value(text).filter(|it| it.same_type(&other)).unwrap_or_else(as_text),
        }
    }

    fn value(&self) -> toml::Value {
        parse_value(self.toml).unwrap_or_else(|| panic!("{}: the default is TOML", self.path()))
    }
}

fn parse_value(text: &str) -> Option<toml::Value> {
    let document = toml::from_str::<toml::Table>(&format!("value = {text}")).ok();
    // One value and nothing smuggled in behind a line break.
    document.filter(|it| it.len() == 1)?.remove("value")
}

/// The table of an app's settings; implemented by [`settings!`](crate::settings!).
pub trait Schema: DeserializeOwned {
    const KEYS: &'static [Key];
    const SECTIONS: &'static [Section];
}

/// Sections that another crate declares beside what they are for ([`section!`](crate::section!));
/// the app takes them over with `use`.
pub trait Part: DeserializeOwned {
    const KEYS: &'static [Key];
    const SECTIONS: &'static [Section];
}

/// A part of which nothing can be set.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub struct NoSettings {}

impl Part for NoSettings {
    const KEYS: &'static [Key] = &[];
    const SECTIONS: &'static [Section] = &[];
}

/// What a part of one section says where nobody has set anything.
///
/// # Panics
/// If a default is not of its setting's type.
#[must_use]
pub fn defaults<P: Part>() -> P {
    let keys = P::KEYS.iter().filter(|it| it.has_default);
    let table: toml::Table = keys.map(|it| (it.name.to_owned(), it.value())).collect();
    P::deserialize(table).expect("the defaults are valid")
}

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

#[cfg(test)]
mod tests;
