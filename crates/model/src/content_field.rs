//! Fields of contents: the description of a field, together with how it is read from the content.
//!
//! Descriptions list them ([decision 91](../../../docs/decisions/0091-objects-of-hosts-described-once.md)): answers of
//! the API, exports and imports go by the same list.

use std::borrow::Cow;

use crate::content::NamedValue;
use crate::describe::{Field, Rule};

/// The value of a field in a content.
#[derive(Clone, Copy, Debug)]
pub enum FieldValue<'a> {
    Text(&'a str),
    /// Numbers and codes.
    Number(i64),
    Float(f64),
    /// An id, as the content has it.
    Id(u64),
    Flag(bool),
    /// Headers, query fields, parameters.
    Pairs(&'a [NamedValue]),
}

impl<'a> FieldValue<'a> {
    /// A code.
    #[must_use]
    pub fn code(code: impl Into<i64>) -> Self {
        Self::Number(code.into())
    }

    /// As the API writes it; lists have no text.
    #[must_use]
    pub fn text(self) -> Option<Cow<'a, str>> {
        match self {
            Self::Text(it) => Some(Cow::Borrowed(it)),
            Self::Number(it) => Some(Cow::Owned(it.to_string())),
            Self::Float(it) => Some(Cow::Owned(it.to_string())),
            Self::Id(it) => Some(Cow::Owned(it.to_string())),
            Self::Flag(it) => Some(Cow::Borrowed(if it { "1" } else { "0" })),
            Self::Pairs(_) => None,
        }
    }
}

/// A field of a content.
#[derive(Debug)]
pub struct ContentField<C: 'static> {
    pub field: Field,
    pub read: for<'c> fn(&'c C) -> FieldValue<'c>,
    /// Empty for users who may not change its holder.
    pub is_credential: bool,
}

impl<C: 'static> Clone for ContentField<C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C: 'static> Copy for ContentField<C> {}

impl<C: 'static> ContentField<C> {
    #[must_use]
    pub const fn new(field: Field, read: for<'c> fn(&'c C) -> FieldValue<'c>) -> Self {
        Self { field, read, is_credential: false }
    }

    /// Only some of the users who see the object see this field.
    #[must_use]
    pub const fn credential(mut self) -> Self {
        self.is_credential = true;
        self
    }

    /// The names of the codes in files.
    #[must_use]
    pub const fn named(mut self, constants: &'static [(&'static str, i64)]) -> Self {
        self.field = self.field.named(constants);
        self
    }

    /// The field's name in files.
    #[must_use]
    pub const fn tagged(mut self, tag: &'static str) -> Self {
        self.field = self.field.tagged(tag);
        self
    }

    /// The meaning of a file without the field, where it differs from the API's default.
    #[must_use]
    pub const fn or(mut self, default: &'static str) -> Self {
        self.field.rule = Rule::Default(default);
        self
    }

    /// A file may leave the field out.
    #[must_use]
    pub const fn optional(mut self) -> Self {
        self.field.rule = Rule::Optional;
        self
    }

    /// The field's name in files.
    #[must_use]
    pub fn tag(&self) -> &'static str {
        self.field.tag.unwrap_or(self.field.name)
    }

    /// The value of the field, as the API writes it.
    #[must_use]
    pub fn text_of<'c>(&self, content: &'c C) -> Option<Cow<'c, str>> {
        (self.read)(content).text()
    }
}
