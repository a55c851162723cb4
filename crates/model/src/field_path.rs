//! The place of a field in the parameters of a request.
//!
//! Zabbix writes such a place as `/1/tags/2/value`: names of members, and positions in lists counted from 1.
//! An error carries it in parts until it is returned, so that outer code, which knows more of the request
//! (such as the object's position in a list), can add to it.

use std::fmt;

/// One step into the parameters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PathSegment {
    /// A member of an object.
    Name(String),
    /// An element of a list, counted from 1.
    Position(usize),
}

/// The way to a field; without segments it is the parameters themselves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FieldPath(Vec<PathSegment>);

impl FieldPath {
    /// The parameters themselves.
    #[must_use]
    pub const fn root() -> Self {
        Self(Vec::new())
    }

    /// An object of a request, by its place there counted from 0.
    #[must_use]
    pub fn object(at: usize) -> Self {
        Self(vec![PathSegment::Position(at + 1)])
    }

    /// A member of this place.
    #[must_use]
    pub fn member(&self, name: &str) -> Self {
        self.with(PathSegment::Name(name.to_owned()))
    }

    /// An element of the list at this place, by its position counted from 0.
    #[must_use]
    pub fn element(&self, at: usize) -> Self {
        self.with(PathSegment::Position(at + 1))
    }

    fn with(&self, last: PathSegment) -> Self {
        Self(self.0.iter().cloned().chain([last]).collect())
    }

    /// The same place in an outer path: `outer` is where this path begins there.
    #[must_use]
    pub fn below(mut self, outer: &Self) -> Self {
        self.0.splice(..0, outer.0.iter().cloned());
        self
    }

    #[must_use]
    pub fn segments(&self) -> &[PathSegment] {
        &self.0
    }

    /// The same place in another object of the request: a check of one object alone calls it the first.
    #[must_use]
    pub fn in_object(mut self, position: usize) -> Self {
        if let Some(first @ PathSegment::Position(1)) = self.0.first_mut() {
            *first = PathSegment::Position(position);
        }
        self
    }
}

impl From<&FieldPath> for FieldPath {
    fn from(path: &Self) -> Self {
        path.clone()
    }
}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("/");
        }
        self.0.iter().try_for_each(|it| match it {
            PathSegment::Name(name) => write!(f, "/{name}"),
            PathSegment::Position(position) => write!(f, "/{position}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_made_part_by_part() {
        let value = FieldPath::object(1).member("tags").element(0).member("value");
        assert_eq!(value.to_string(), "/2/tags/1/value");
        assert_eq!(FieldPath::object(11).to_string(), "/12");
        assert_eq!(FieldPath::root().member("limit").to_string(), "/limit");
        assert_eq!(FieldPath::root().to_string(), "/");
    }

    #[test]
    fn paths_grow_in_front_where_more_of_the_request_is_known() {
        let inner = FieldPath::root().member("tags").element(0);
        assert_eq!(inner.below(&FieldPath::object(1)).to_string(), "/2/tags/1");
        assert_eq!(FieldPath::root().below(&FieldPath::object(1)), FieldPath::object(1));
    }

    #[test]
    fn only_the_object_of_a_request_gets_another_position() {
        let of = |path: FieldPath| path.in_object(3).to_string();
        let tag = FieldPath::object(0).member("tags").element(0);
        assert_eq!(of(tag.member("value")), "/3/tags/1/value");
        assert_eq!(of(FieldPath::object(0)), "/3");
        assert_eq!(of(FieldPath::root().member("host")), "/host");
        assert_eq!(of(FieldPath::root()), "/");
        assert_eq!(of(FieldPath::object(9).member("tags")), "/10/tags");
    }
}
