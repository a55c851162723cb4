//! Views of the problem list that users keep: filters with a name, read when somebody opens the list.

use std::fmt;
use std::sync::Arc;

use model::UserId;

use crate::DbError;
use crate::schema::USER_VIEWS;
use crate::sql::{Cell, Conflict, Rows, Workers};

/// Filters with a name, of one user.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UserView {
    pub name: String,
    /// A JSON object, which only the pages understand.
    pub search: String,
}

/// The table of all users' views.
pub struct UserViews {
    workers: Arc<Workers>,
}

impl fmt::Debug for UserViews {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("UserViews")
    }
}

impl UserViews {
    pub(crate) fn new(workers: Arc<Workers>) -> Self {
        Self { workers }
    }

    /// The views of a user, by name.
    ///
    /// # Errors
    /// If the database is away.
    pub fn of(&self, user: UserId) -> Result<Vec<UserView>, DbError> {
        self.workers.read("read views", move |sql| {
            let statement = "select name, search from user_views where userid = ?1 order by name";
            let mut found = Vec::new();
            sql.query(statement, &[Cell::id(user.0)], &mut |row| {
                let (name, search) = (row.text(0)?.to_owned(), row.text(1)?.to_owned());
                found.push(UserView { name, search });
                Ok(true)
            })?;
            Ok(found)
        })
    }

    /// Keeps a view in place of one of the same name. `false`: the user has `n_max` others already.
    ///
    /// # Errors
    /// If the database refuses.
    pub fn keep(&self, user: UserId, view: UserView, n_max: i64) -> Result<bool, DbError> {
        self.workers.write("keep a view", move |sql| {
            let mut n_others = 0;
            let statement = "select count(*) from user_views where userid = ?1 and name <> ?2";
            let key = [Cell::id(user.0), Cell::text(&view.name)];
            sql.query(statement, &key, &mut |row| {
                n_others = row.int(0)?;
                Ok(false)
            })?;
            if n_max <= n_others {
                return Ok(false);
            }
            let mut rows = Rows::new(&USER_VIEWS);
            let UserView { name, search } = view;
            rows.push([Cell::id(user.0), Cell::Text(name), Cell::Text(search)]);
            sql.insert(&rows, Conflict::Update)?;
            Ok(true)
        })
    }

    /// Forgets a view. One that is not there is forgotten already.
    ///
    /// # Errors
    /// If the database refuses.
    pub fn forget(&self, user: UserId, name: &str) -> Result<(), DbError> {
        let key = [Cell::id(user.0), Cell::text(name)];
        self.workers.write("forget a view", move |sql| {
            sql.execute("delete from user_views where userid = ?1 and name = ?2", &key)?;
            Ok(())
        })
    }
}
