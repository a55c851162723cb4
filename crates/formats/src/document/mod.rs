//! Documents of texts, lists and fields in a given order, written as YAML, JSON or XML.
//!
//! For exports: all values are texts, as the API has them. Written documents are read back
//! unchanged, with any texts; the one exception is XML, which has no place for most control
//! characters: they are left out.

mod json;
mod layout;
mod value;
mod xml;
mod yaml;

pub use self::value::Value;

impl Value {
    /// As YAML: keys plain, texts quoted where they could be read as something else, texts of several
    /// lines as blocks.
    #[must_use]
    pub fn to_yaml(&self) -> String {
        let mut out = String::new();
        yaml::write(self, &mut out);
        out
    }

    /// As JSON, on one line or indented by four spaces.
    #[must_use]
    pub fn to_json(&self, is_pretty: bool) -> String {
        let mut out = String::new();
        json::write(self, is_pretty.then_some(0), &mut out);
        out
    }

    /// As XML, on one line or indented by four spaces. `entry_of` gives the element of a list's
    /// entries: `item` for `items`.
    #[must_use]
    pub fn to_xml(&self, is_pretty: bool, entry_of: &dyn Fn(&str) -> String) -> String {
        let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        if let Self::Object(fields) = self {
            for (name, value) in fields {
                xml::write(name, value, entry_of, is_pretty.then_some(0), &mut out);
            }
        }
        out
    }
}
