//! Users, their groups, roles and tokens.

pub(crate) mod media;
pub(crate) mod role;
pub(crate) mod token;
pub(crate) mod user;
pub(crate) mod usergroup;

use std::marker::PhantomData;

use crate::query::RowFamily;
use crate::shared::Ctx;

/// Users and their groups, each as it is kept.
pub(crate) struct AccessFamily<T>(PhantomData<T>);

impl<T: 'static> RowFamily for AccessFamily<T> {
    type Reader<'a> = &'a Ctx;
    type Row<'a> = &'a T;
    type Content = T;

    fn content<'a>(it: Self::Row<'a>) -> &'a T {
        it
    }
}
