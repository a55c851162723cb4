//! Users, their groups, roles and tokens.

pub(crate) mod media;
pub(crate) mod role;
pub(crate) mod token;
pub(crate) mod user;
pub(crate) mod usergroup;

use std::marker::PhantomData;

use crate::query::RowFamily;
use crate::shared::Ctx;

/// The frontend access of groups whose users log in by a directory; there is none.
pub(crate) const BY_DIRECTORY: i64 = 2;
/// … of groups whose users may use the API only.
pub(crate) const PAGES_DISABLED: i64 = 3;

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
