//! The fields of an object's rows.

use serde_json::Value;

use super::given::text;
use super::key::SortKey;
use super::output::Output;
use crate::describe::{Object, Select};
use crate::error::ApiError;
use crate::json;

/// Gives single fields and related objects of the rows of one object.
pub trait Rows {
    type Row: Clone;

    /// A field as get answers it (ids, codes and numbers as texts).
    fn field(&self, row: &Self::Row, name: &str) -> Value;

    /// Writes the value of [`Self::field`] as JSON. Objects of which one answer holds many write without
    /// making a value first.
    fn write(&self, row: &Self::Row, name: &str, out: &mut Vec<u8>) {
        json::put(out, &self.field(row, name));
    }

    /// Whether a row has a field at all.
    fn has(&self, _row: &Self::Row, _name: &str) -> bool {
        true
    }

    /// A field to sort by, in the order of the values of [`Self::field`]. Objects of which there are many
    /// lend it.
    fn sort_key<'k>(&'k self, object: &Object, row: &Self::Row, name: &str) -> SortKey<'k> {
        SortKey::answered(object, name, self.field(row, name))
    }

    /// The ids of an id field for counting: an object may have several, as a host has groups.
    /// `None`: it has no such field.
    fn group_ids(&self, object: &Object, row: &Self::Row, name: &str) -> Option<Vec<String>> {
        object.field(name).map(|_| vec![text(&self.field(row, name))])
    }

    /// The address of the content with a searched field's text: rows with the same content have the same text
    /// there. `None`: the row alone decides, or no other row has its content.
    fn shared_content(&self, _row: &Self::Row, _name: &str) -> Option<usize> {
        None
    }

    /// Related objects for a `select…` parameter.
    ///
    /// # Errors
    /// If related objects can't be read.
    fn select(&self, row: &Self::Row, select: &Select, output: &Output) -> Result<Value, ApiError>;
}
