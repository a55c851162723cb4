//! The declaration of a setting: the tables by which sources are read and documents are generated.

use serde::Deserialize;
use serde::de::DeserializeOwned;

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

    /// The doc comment as one text, paragraphs separated.
    #[must_use]
    pub fn help(&self) -> String {
        self.docs.iter().map(|it| it.trim()).collect::<Vec<_>>().join("\n")
    }

    /// A text from the environment or a flag as a value of the setting's TOML type. A text of
    /// another type stays text, and is refused with the expected type.
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

/// Sections that another crate declares in addition to its main purpose
/// ([`section!`](crate::section!)); the app adopts them with `use`.
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

/// The default of a part of one section.
///
/// # Panics
/// If a default is not of its setting's type.
#[must_use]
pub fn defaults<P: Part>() -> P {
    let keys = P::KEYS.iter().filter(|it| it.has_default);
    let table: toml::Table = keys.map(|it| (it.name.to_owned(), it.value())).collect();
    P::deserialize(table).expect("the defaults are valid")
}
