//! Values of documents.

use std::borrow::Cow;

/// A text, a list or an object whose fields keep their order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// Numbers and codes too.
    Text(String),
    List(Vec<Value>),
    Object(Vec<(Cow<'static, str>, Value)>),
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl Value {
    /// The field of an object.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Self> {
        let Self::Object(fields) = self else { return None };
        fields.iter().find(|(it, _)| it == name).map(|it| &it.1)
    }

    /// The text of a field; empty if it has none.
    #[must_use]
    pub fn text(&self, name: &str) -> &str {
        match self.get(name) {
            Some(Self::Text(text)) => text,
            _ => "",
        }
    }

    /// The entries of a list that is a field; none if there is no such list.
    #[must_use]
    pub fn list(&self, name: &str) -> &[Self] {
        match self.get(name) {
            Some(Self::List(list)) => list,
            _ => &[],
        }
    }
}
