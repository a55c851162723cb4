//! The order in which files have the fields of an object, with what stands between them in a form of its own.

use model::content_field::ContentField;

/// The part at a place of an object in a file. `P` names what a file has in a form of its own.
#[derive(Debug)]
pub(crate) enum InFile<C: 'static, P: 'static> {
    Field(ContentField<C>),
    OfPrototypes(ContentField<C>),
    Part(P),
}

/// Nothing stands in a form of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NoPart {}

/// Lists of places, one after the other.
pub(crate) type FileOrder<C, P> = &'static [&'static [InFile<C, P>]];
