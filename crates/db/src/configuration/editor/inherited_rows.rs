//! Rows that children inherit under their name: the counterpart of [`super::inherit`], which does
//! it for items by key and for triggers by expression, once for all kinds of such rows.

use std::sync::Arc;

use imbl::OrdMap;
use model::HostId;
use model::content::ItemFlags;
use model::snapshot::{HolderKind, Host, Snapshot};

use super::Editor;
use super::core::add_run;
use crate::configuration::store::{Identity, Overridden, RowKind};
use crate::error::ConfigError;

type Content<R> = Arc<<R as RowKind>::Content>;
type Runs<R> = OrdMap<<R as Identity>::Id, (<R as Identity>::Id, HostId)>;

/// A row that is inherited by name.
pub(super) trait InheritedRow: Overridden {
    fn runs(snapshot: &mut Snapshot) -> &mut Runs<Self>;
    /// Its name as it is written.
    fn written_name(content: &Self::Content) -> &str;
    /// Whether an own row of a child with the name of a source becomes the inherited one.
    fn check_adoptable(
        e: &Editor,
        child: &Arc<Host>,
        own: &Self,
        source: &Self,
    ) -> Result<(), ConfigError>;
    /// The name of a source changes, and a child has another row of that name.
    fn name_taken(child: &Host, taken: &Self) -> ConfigError;
    /// The row that is inherited from this one.
    fn by_source(child: &Host, source: u64) -> Option<&Self>;
    /// The first row of a holder that may be meant and has the name which this content has.
    fn by_name_of<'h>(
        e: &Editor,
        child: &'h Arc<Host>,
        content: &Self::Content,
        may_be: impl Fn(&Self) -> bool,
    ) -> Option<&'h Self>;
    fn to_change(holder: &mut Host, id: u64) -> Option<&mut Self>;
    /// Adds rows with the newest ids, in order.
    fn push(holder: &mut Host, rows: Vec<Self>);
    /// Something of the row itself has to follow where a source becomes another one.
    fn adopted(e: &mut Editor, id: u64);
    /// Follows a prototype's change with what discovery made of it.
    fn follow_prototype(
        e: &mut Editor,
        holder: HostId,
        id: u64,
        old: &Content<Self>,
        new: &Content<Self>,
    );

    /// Whether a host or template has such rows at all.
    fn may_inherit(_child: &Host) -> bool {
        true
    }

    /// Whether two rows may not have the same name: graphs and prototypes are distinct.
    fn is_alike(&self, other: &Self) -> bool {
        let is_prototype = |it: &Self| it.flags() == ItemFlags::Prototype;
        is_prototype(self) == is_prototype(other)
    }
}

impl Editor {
    /// A row of a holder, to change. It must exist.
    pub(super) fn row_mut<R: InheritedRow>(&mut self, holder: HostId, id: u64) -> &mut R {
        R::to_change(self.holder_with_index(holder), id).expect("it was looked up before")
    }

    fn row<R: InheritedRow>(&self, holder: HostId, id: u64) -> Result<&R, ConfigError> {
        let rows = R::rows(self.holder(holder)?);
        let at = rows.binary_search_by_key(&id, Identity::id).ok();
        at.and_then(|it| rows.get(it)).ok_or_else(ConfigError::no_permissions)
    }

    /// Adds rows with the newest ids, in order.
    #[expect(private_bounds, reason = "kinds of rows are the editor's own")]
    pub(crate) fn push_rows<R: InheritedRow>(&mut self, holder: HostId, rows: Vec<R>) {
        let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return };
        let (first, last) = (R::Id::from(first.id()), R::Id::from(last.id()));
        add_run(R::runs(&mut self.next), first, last, holder);
        R::push(self.holder_with_index(holder), rows);
    }

    /// Passes new rows of a template on to all that link it.
    pub(super) fn inherit_rows<R: InheritedRow>(
        &mut self,
        template: HostId,
        ids: &[u64],
    ) -> Result<(), ConfigError> {
        for child in self.children(template).iter() {
            self.inherit_rows_into::<R>(*child, template, ids)?;
        }
        Ok(())
    }

    /// Gives a holder the rows of a template, adopting own ones of the same name. Items are there
    /// already.
    pub(super) fn inherit_rows_into<R: InheritedRow>(
        &mut self,
        child: HostId,
        template: HostId,
        ids: &[u64],
    ) -> Result<(), ConfigError> {
        if ids.is_empty() {
            return Ok(());
        }
        let holder = self.holder(child)?;
        if !R::may_inherit(holder) {
            return Ok(());
        }
        let kind = holder.kind;
        let from = Arc::clone(self.holder(template)?);
        let mut new_rows = Vec::with_capacity(ids.len());
        let mut passed_on = Vec::new();
        for id in ids {
            let Ok(at) = R::rows(&from).binary_search_by_key(id, Identity::id) else { continue };
            let Some(source) = R::rows(&from).get(at) else { continue };
            // Looked up each time: a held reference would make the change a copy.
            let holder = self.holder(child)?;
            if R::by_source(holder, source.id()).is_some() {
                continue;
            }
            let own = R::by_name_of(self, holder, source.content(), |it| it.is_alike(source));
            if let Some(own) = own {
                R::check_adoptable(self, holder, own, source)?;
                let own = own.clone();
                self.adopt_row(child, &own, source)?;
                passed_on.push(own.id());
                continue;
            }
            let content = Arc::clone(source.content());
            new_rows.push(R::made(self.take_id(), source.id(), content, source.flags()));
        }
        passed_on.extend(new_rows.iter().map(Identity::id));
        self.push_rows(child, new_rows);
        if kind == HolderKind::Template {
            self.inherit_rows::<R>(child, &passed_on)?;
        }
        Ok(())
    }

    fn adopt_row<R: InheritedRow>(
        &mut self,
        child: HostId,
        own: &R,
        source: &R,
    ) -> Result<(), ConfigError> {
        let (id, content) = (own.id(), Arc::clone(source.content()));
        self.row_mut::<R>(child, id).inherit_from(source.id(), Arc::clone(&content));
        R::adopted(self, id);
        self.propagate_row::<R>(child, id, own.content(), &content)
    }

    /// Changes the content of an own row, and of all that share it.
    pub(super) fn set_row_content<R: InheritedRow>(
        &mut self,
        holder: HostId,
        id: u64,
        content: R::Content,
    ) -> Result<(), ConfigError>
    where
        R::Content: PartialEq,
    {
        let old = Arc::clone(self.row::<R>(holder, id)?.content());
        if *old == content {
            return Ok(());
        }
        let content = Arc::new(content);
        self.row_mut::<R>(holder, id).set_content(Arc::clone(&content));
        self.propagate_row::<R>(holder, id, &old, &content)
    }

    /// Sets what an inherited row has of its own.
    pub(super) fn set_row_overrides<R: InheritedRow>(
        &mut self,
        holder: HostId,
        id: u64,
        base: &Content<R>,
        overrides: R::Overrides,
    ) -> Result<(), ConfigError> {
        let old = self.row::<R>(holder, id)?;
        if *old.overrides().unwrap_or(&R::Overrides::default()) == overrides {
            return Ok(());
        }
        let old = Arc::clone(old.content());
        let (overrides, content) = self.applied.of::<R>(overrides, base);
        self.row_mut::<R>(holder, id).set_overrides(overrides, Arc::clone(&content));
        self.propagate_row::<R>(holder, id, &old, &content)
    }

    /// A row's effective content has changed: those that inherit from it, or were discovered by
    /// it, follow.
    pub(super) fn propagate_row<R: InheritedRow>(
        &mut self,
        holder: HostId,
        id: u64,
        old: &Content<R>,
        new: &Content<R>,
    ) -> Result<(), ConfigError> {
        for child in self.children(holder).iter() {
            self.follow_row::<R>(*child, id, old, new)?;
        }
        if self.row::<R>(holder, id)?.flags() == ItemFlags::Prototype {
            R::follow_prototype(self, holder, id, old, new);
        }
        Ok(())
    }

    fn follow_row<R: InheritedRow>(
        &mut self,
        child: HostId,
        source: u64,
        old: &Content<R>,
        new: &Content<R>,
    ) -> Result<(), ConfigError> {
        let holder = self.holder(child)?;
        let Some(row) = R::by_source(holder, source) else { return Ok(()) };
        let (id, before) = (row.id(), Arc::clone(row.content()));
        let is_other = |it: &R| it.id() != id && it.is_alike(row);
        if R::written_name(old) != R::written_name(new)
            && let Some(taken) = R::by_name_of(self, holder, new, is_other)
        {
            return Err(R::name_taken(holder, taken));
        }
        let (mut overrides, mut content) = (None, Arc::clone(new));
        if let Some(own) = row.overrides() {
            let mut own = R::Overrides::clone(own);
            R::write_through(&mut own, old, new);
            (overrides, content) = self.applied.of::<R>(own, new);
        }
        self.row_mut::<R>(child, id).set_overrides(overrides, Arc::clone(&content));
        self.propagate_row::<R>(child, id, &before, &content)
    }

    /// The rows of a holder that it inherits from one of these templates.
    pub(super) fn inherited_rows<R: InheritedRow>(
        &self,
        holder: &Host,
        from: &std::collections::BTreeSet<HostId>,
    ) -> Vec<u64> {
        let of_these = |source: u64| {
            let templates = from.iter().filter_map(|it| self.next.templates.get(it));
            let mut templates = templates.map(|it| R::rows(it));
            templates.any(|it| it.binary_search_by_key(&source, Identity::id).is_ok())
        };
        let rows = R::rows(holder).iter().filter(|it| it.source() != 0 && of_these(it.source()));
        rows.map(Identity::id).collect()
    }

    /// Makes inherited rows the holder's own, their content in the holder's words.
    pub(super) fn make_rows_own<R: InheritedRow>(
        &mut self,
        holder: HostId,
        ids: Vec<u64>,
        own: impl Fn(&R::Content) -> R::Content,
    ) -> Result<(), ConfigError> {
        let mut changed = Vec::with_capacity(ids.len());
        for id in ids {
            let row = self.row_mut::<R>(holder, id);
            let old = Arc::clone(row.content());
            let new = Arc::new(own(&old));
            row.inherit_from(0, Arc::clone(&new));
            changed.push((id, old, new));
        }
        // Prototypes have discovered objects, templates have inherited objects: both share the
        // content.
        for (id, old, new) in changed {
            self.propagate_row::<R>(holder, id, &old, &new)?;
        }
        Ok(())
    }
}
