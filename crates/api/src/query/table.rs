//! An object's fields with how each is read of a row. A field is named once: the description
//! (validation, defaults, reference), answers, filters, searches and sorting come from its column.

use std::marker::PhantomData;

use model::content_field::{ContentField, FieldValue};
use serde_json::Value;

use super::given::text;
use super::key::SortKey;
use super::output::Output;
use super::rows::Rows;
use crate::describe::{Field, Object, Select};
use crate::error::ApiError;
use crate::json::Scalar;

/// Rows that several objects may have in common, as items, item prototypes and discovery rules do.
pub(crate) trait RowFamily: Sized + 'static {
    /// The context of reading rows.
    type Reader<'a>;
    type Row<'a>: Copy;
    /// The content that users write; may be shared by rows.
    type Content: 'static;

    fn content<'a>(row: Self::Row<'a>) -> &'a Self::Content;

    /// A field of the content as this row shows it.
    fn shown<'r, 'a>(
        _reader: &'r Self::Reader<'a>,
        _row: Self::Row<'a>,
        value: Scalar<'r>,
    ) -> Scalar<'r> {
        value
    }

    /// Whether the caller may see the credentials of this row.
    fn shows_credentials<'a>(_reader: &Self::Reader<'a>, _row: Self::Row<'a>) -> bool {
        false
    }
}

/// The source of a field.
pub(crate) enum Read<F: RowFamily> {
    Row(for<'r, 'a> fn(&'r F::Reader<'a>, F::Row<'a>) -> Scalar<'r>),
    Content(for<'c> fn(&'c F::Content) -> Scalar<'c>),
    /// Of content, by a description; a credential is empty to users who may not see it.
    Described {
        read: for<'c> fn(&'c F::Content) -> FieldValue<'c>,
        is_credential: bool,
    },
    /// Only given, or answered by a select.
    Never,
}

/// A field of an object.
pub(crate) struct Column<F: RowFamily> {
    pub(crate) field: Field,
    pub(crate) read: Read<F>,
}

impl<F: RowFamily> Clone for Read<F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F: RowFamily> Copy for Read<F> {}

impl<F: RowFamily> Clone for Column<F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F: RowFamily> Copy for Column<F> {}

impl<F: RowFamily> Column<F> {
    /// A field of the row, or a related object.
    pub(crate) const fn of_row(
        field: Field,
        read: for<'r, 'a> fn(&'r F::Reader<'a>, F::Row<'a>) -> Scalar<'r>,
    ) -> Self {
        Self { field, read: Read::Row(read) }
    }

    /// A field of the content.
    pub(crate) const fn of_content(
        field: Field,
        read: for<'c> fn(&'c F::Content) -> Scalar<'c>,
    ) -> Self {
        Self { field, read: Read::Content(read) }
    }

    /// A field of the content, with how it is read.
    pub(crate) const fn described(described: ContentField<F::Content>) -> Self {
        let ContentField { field, read, is_credential } = described;
        Self { field, read: Read::Described { read, is_credential } }
    }

    /// A field that is given, and not answered as a field.
    pub(crate) const fn given_only(field: Field) -> Self {
        Self { field, read: Read::Never }
    }

    /// The field of a row.
    fn scalar<'r, 'a>(&self, reader: &'r F::Reader<'a>, row: F::Row<'a>) -> Scalar<'r>
    where
        'a: 'r,
    {
        match self.read {
            Read::Row(read) => read(reader, row),
            Read::Content(read) => F::shown(reader, row, read(F::content(row))),
            Read::Described { is_credential: true, .. } if !F::shows_credentials(reader, row) => {
                Scalar::Text("")
            }
            Read::Described { read, .. } => F::shown(reader, row, read(F::content(row)).into()),
            Read::Never => Scalar::Unknown,
        }
    }
}

/// The fields of columns.
pub(crate) const fn fields<F: RowFamily, const N: usize>(columns: &[Column<F>]) -> [Field; N] {
    assert!(N == columns.len(), "a field for each column");
    let mut fields = [columns[0].field; N];
    let mut at = 0;
    while at < N {
        fields[at] = columns[at].field;
        at += 1;
    }
    fields
}

/// The columns of described fields.
pub(crate) const fn described<F: RowFamily, const N: usize>(
    fields: &[ContentField<F::Content>],
) -> [Column<F>; N] {
    assert!(N == fields.len(), "a column for each field");
    let mut columns = [Column::described(fields[0]); N];
    let mut at = 0;
    while at < N {
        columns[at] = Column::described(fields[at]);
        at += 1;
    }
    columns
}

/// The column of this name.
pub(crate) fn column<'c, F: RowFamily>(
    columns: &'c [Column<F>],
    name: &str,
) -> Option<&'c Column<F>> {
    columns.iter().find(|column| column.field.name == name)
}

/// The field of a row; [`Scalar::Unknown`] if there is no such column.
pub(crate) fn scalar<'r, 'a, F: RowFamily>(
    columns: &[Column<F>],
    reader: &'r F::Reader<'a>,
    row: F::Row<'a>,
    name: &str,
) -> Scalar<'r>
where
    'a: 'r,
{
    column(columns, name).map_or(Scalar::Unknown, |column| column.scalar(reader, row))
}

/// A field of content alone; `None` if the content has no such field.
pub(crate) fn content_value<F: RowFamily>(
    columns: &[Column<F>],
    content: &F::Content,
    name: &str,
) -> Option<Value> {
    match column(columns, name)?.read {
        Read::Content(read) => Some(read(content).value()),
        Read::Described { read, .. } => Some(Scalar::from(read(content)).value()),
        Read::Row(_) | Read::Never => None,
    }
}

/// Parts of objects, as tags and steps, that need nothing but themselves to be read.
pub(crate) struct PartFamily<T>(PhantomData<T>);

/// A field of a part.
pub(crate) type PartColumn<T> = Column<PartFamily<T>>;

impl<T: 'static> RowFamily for PartFamily<T> {
    type Reader<'a> = ();
    type Row<'a> = &'a T;
    type Content = T;

    fn content<'a>(part: Self::Row<'a>) -> &'a T {
        part
    }
}

/// Parts as a `select…` answers them: the wanted fields of each, or how many there are.
pub(crate) fn parts<'a, F: RowFamily>(
    columns: &[Column<F>],
    reader: &F::Reader<'a>,
    rows: impl Iterator<Item = F::Row<'a>>,
    output: &Output,
) -> Value {
    if *output == Output::Count {
        return Value::String(rows.count().to_string());
    }
    let is_wanted = |field: &Field| field.is_output() && output.wants(field.name);
    let wanted: Vec<_> = columns.iter().filter(|column| is_wanted(&column.field)).collect();
    let part = |row: F::Row<'a>| -> Value {
        let fields = wanted
            .iter()
            .map(|column| (column.field.name.to_owned(), column.scalar(reader, row).value()));
        Value::Object(fields.collect())
    };
    rows.map(part).collect()
}

/// The context of reading rows of a table.
pub(crate) type ReaderOf<'a, T> = <<T as Table>::Family as RowFamily>::Reader<'a>;
/// A row of a table.
pub(crate) type RowOf<'a, T> = <<T as Table>::Family as RowFamily>::Row<'a>;

/// An object whose fields are in columns.
pub(crate) trait Table: Sized + 'static {
    type Family: RowFamily;

    fn columns() -> &'static [Column<Self::Family>];

    /// As [`Rows::select`].
    fn select<'a>(
        reader: &ReaderOf<'a, Self>,
        row: RowOf<'a, Self>,
        select: &Select,
        output: &Output,
    ) -> Result<Value, ApiError>;

    /// As [`Rows::has`].
    fn has<'a>(_row: RowOf<'a, Self>, _name: &str) -> bool {
        true
    }

    /// Where the content lies that others share with this row, if a field of the row is a text of the content alone.
    fn shared_content<'a>(_row: RowOf<'a, Self>, _name: &str) -> Option<usize> {
        None
    }

    /// A key for sorting that is no field.
    fn sort_key<'r, 'a>(
        _reader: &'r ReaderOf<'a, Self>,
        _row: RowOf<'a, Self>,
        _name: &str,
    ) -> Option<SortKey<'r>> {
        None
    }

    /// Ids to count by that are no fields, or several; see [`Rows::group_ids`].
    fn group_ids<'a>(
        _reader: &ReaderOf<'a, Self>,
        _row: RowOf<'a, Self>,
        _name: &str,
    ) -> Option<Vec<String>> {
        None
    }
}

/// Rows of an object, by its columns.
pub(crate) struct TableRows<'a, T: Table> {
    pub(crate) reader: ReaderOf<'a, T>,
}

impl<'a, T: Table> TableRows<'a, T> {
    pub(crate) fn new(reader: ReaderOf<'a, T>) -> Self {
        Self { reader }
    }

    fn scalar<'r>(&'r self, row: RowOf<'a, T>, name: &str) -> Scalar<'r> {
        scalar(T::columns(), &self.reader, row, name)
    }
}

impl<'a, T: Table> Rows for TableRows<'a, T> {
    type Row = RowOf<'a, T>;

    fn field(&self, row: &Self::Row, name: &str) -> Value {
        self.scalar(*row, name).value()
    }

    fn write(&self, row: &Self::Row, name: &str, out: &mut Vec<u8>) {
        self.scalar(*row, name).put(out);
    }

    fn has(&self, row: &Self::Row, name: &str) -> bool {
        T::has(*row, name)
    }

    fn shared_content(&self, row: &Self::Row, name: &str) -> Option<usize> {
        T::shared_content(*row, name)
    }

    fn sort_key<'k>(&'k self, object: &Object, row: &Self::Row, name: &str) -> SortKey<'k> {
        match T::sort_key(&self.reader, *row, name) {
            Some(key) => key,
            None => SortKey::scalar(object, name, self.scalar(*row, name)),
        }
    }

    fn group_ids(&self, object: &Object, row: &Self::Row, name: &str) -> Option<Vec<String>> {
        T::group_ids(&self.reader, *row, name)
            .or_else(|| object.field(name).map(|_| vec![text(&self.field(row, name))]))
    }

    fn select(&self, row: &Self::Row, select: &Select, output: &Output) -> Result<Value, ApiError> {
        T::select(&self.reader, *row, select, output)
    }
}
