//! Views of the problem list that users keep: filters with a name. Read from memory, so that the list opens
//! while the database is away.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex};

use model::UserId;

use crate::error::DbError;
use crate::locks::lock;
use crate::sql::schema::USER_VIEWS;
use crate::sql::{Cell, Conflict, Rows, Workers};

/// Filters with a name, of one user.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UserView {
    pub name: String,
    /// A JSON object, which only the pages understand.
    pub search: String,
}

/// By user and name.
type ByName = BTreeMap<(UserId, String), String>;

/// The table of all users' views.
pub struct UserViews {
    views: Mutex<ByName>,
    workers: Arc<Workers>,
}

impl fmt::Debug for UserViews {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("UserViews")
    }
}

impl UserViews {
    pub(crate) fn open(workers: Arc<Workers>) -> Result<Self, DbError> {
        let views = workers.load("load views", |sql| {
            let mut found = ByName::new();
            sql.query("select userid, name, search from user_views", &[], &mut |row| {
                let key = (UserId(row.id(0)?), row.text(1)?.to_owned());
                found.insert(key, row.text(2)?.to_owned());
                Ok(true)
            })?;
            Ok(found)
        })?;
        Ok(Self { views: Mutex::new(views), workers })
    }

    /// The views of a user, by name.
    #[must_use]
    pub fn of(&self, user: UserId) -> Vec<UserView> {
        let views = lock(&self.views);
        let own = views.range((user, String::new())..).take_while(|((of, _), _)| *of == user);
        own.map(|((_, name), search)| UserView { name: name.clone(), search: search.clone() })
            .collect()
    }

    /// Keeps a view in place of one of the same name. `false`: the user has `n_max` others already.
    ///
    /// # Errors
    /// If the database refuses.
    pub fn keep(&self, user: UserId, view: UserView, n_max: i64) -> Result<bool, DbError> {
        let (key_of, search_of) = ((user, view.name.clone()), view.search.clone());
        let is_kept = self.workers.write("keep a view", move |sql| {
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
        })?;
        if is_kept {
            lock(&self.views).insert(key_of, search_of);
        }
        Ok(is_kept)
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
        })?;
        lock(&self.views).remove(&(user, name.to_owned()));
        Ok(())
    }
}
