//! Descriptions as a version of Zabbix has them.
//!
//! A description that differs is made once for each version, and kept for the life of the process: there are
//! as many as rows with versions, whatever is requested. A description that is the same in all versions is
//! returned unchanged.

use std::sync::{OnceLock, PoisonError, RwLock};

use super::{Field, FieldType, Gives, Object, Params, Select};
use crate::map::Map;
use crate::version::Version;

/// Where a description lies, its length, and the version: no two descriptions have the same.
type Key = (usize, usize, Version);

struct VersionCache<T: 'static>(OnceLock<RwLock<Map<Key, &'static T>>>)
where
    T: ?Sized;

impl<T: ?Sized + Send + Sync> VersionCache<T> {
    const fn new() -> Self {
        Self(OnceLock::new())
    }

    fn get_or(&self, key: Key, make: impl FnOnce() -> &'static T) -> &'static T {
        let kept = self.0.get_or_init(RwLock::default);
        let found = kept.read().unwrap_or_else(PoisonError::into_inner).get(&key).copied();
        found.unwrap_or_else(|| {
            let made = make();
            let mut kept = kept.write().unwrap_or_else(PoisonError::into_inner);
            kept.entry(key).or_insert(made)
        })
    }
}

static FIELDS: VersionCache<[Field]> = VersionCache::new();
static OBJECTS: VersionCache<Object> = VersionCache::new();

/// The fields that a version has, with those of their parts and with its codes.
#[must_use]
pub fn fields_at(fields: &'static [Field], version: Version) -> &'static [Field] {
    let key = (fields.as_ptr().addr(), fields.len(), version);
    FIELDS.get_or(key, || match made(fields, version) {
        None => fields,
        Some(own) => own.leak(),
    })
}

/// `None` if the version has all of them as they are.
fn made(fields: &'static [Field], version: Version) -> Option<Vec<Field>> {
    let mut differs = false;
    let mut own = Vec::with_capacity(fields.len());
    for field in fields {
        if !field.versions.has(version) {
            differs = true;
            continue;
        }
        let kind = kind_at(field, version);
        differs |= kind.is_some();
        own.push(Field { kind: kind.unwrap_or(field.kind), ..*field });
    }
    differs.then_some(own)
}

fn kind_at(field: &Field, version: Version) -> Option<FieldType> {
    let of = |fields: &'static [Field]| {
        let own = fields_at(fields, version);
        (!std::ptr::eq(own, fields)).then_some(own)
    };
    match field.kind {
        FieldType::Object(fields) => of(fields).map(FieldType::Object),
        FieldType::List(fields) => of(fields).map(FieldType::List),
        FieldType::Code(codes) if !codes.iter().all(|it| field.has_code(*it, version)) => {
            let own = codes.iter().copied().filter(|it| field.has_code(*it, version));
            Some(FieldType::Code(own.collect::<Vec<i64>>().leak()))
        }
        _ => None,
    }
}

fn select_at(select: &Select, version: Version) -> Select {
    let gives = match select.gives {
        Gives::Parts(fields) => Gives::Parts(fields_at(fields, version)),
        Gives::Part(fields) => Gives::Part(fields_at(fields, version)),
        other => other,
    };
    Select { gives, ..*select }
}

fn params_at(params: &Params, version: Version) -> Params {
    let of = |names: &'static [&'static str]| -> &'static [&'static str] {
        let own = names.iter().copied().filter(|it| params.versions_of(it).has(version));
        let own: Vec<&'static str> = own.collect();
        if own.len() == names.len() { names } else { own.leak() }
    };
    Params { taken: of(params.taken), foreign: of(params.foreign), ..*params }
}

impl Object {
    /// The object as a version has it.
    #[must_use]
    pub fn at(&'static self, version: Version) -> &'static Self {
        let key = (std::ptr::from_ref(self).addr(), 1, version);
        OBJECTS.get_or(key, || {
            let fields = fields_at(self.fields, version);
            let is_same = std::ptr::eq(fields, self.fields)
                && self.selects.iter().all(|it| {
                    let own = select_at(it, version);
                    it.versions.has(version) && same_parts(it.gives, own.gives)
                })
                && self.params.by_version.iter().all(|it| it.1.has(version));
            if is_same {
                return self;
            }
            let selects = self.selects.iter().filter(|it| it.versions.has(version));
            let selects: Vec<Select> = selects.map(|it| select_at(it, version)).collect();
            let params = params_at(&self.params, version);
            Box::leak(Box::new(Self { fields, selects: selects.leak(), params, ..*self }))
        })
    }

    /// Whether get takes the parameter in some version, and not in this one.
    #[must_use]
    pub fn lacks(&self, param: &str, version: Version) -> bool {
        let selects = self.selects.iter().filter(|it| it.param == param);
        selects
            .map(|it| it.versions)
            .chain([self.params.versions_of(param)])
            .any(|it| !it.has(version))
    }
}

impl Gives {
    /// Members of its parts that a version does not have.
    #[must_use]
    pub fn parts_without(self, version: Version) -> Vec<&'static str> {
        let fields = match self {
            Self::Parts(fields) | Self::Part(fields) => fields,
            Self::Objects(_) | Self::Object(_) | Self::Field | Self::Nothing => return Vec::new(),
        };
        fields.iter().filter(|it| !it.versions.has(version)).map(|it| it.name).collect()
    }
}

fn same_parts(one: Gives, two: Gives) -> bool {
    match (one, two) {
        (Gives::Parts(one), Gives::Parts(two)) | (Gives::Part(one), Gives::Part(two)) => {
            std::ptr::eq(one, two)
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{CodesByVersion, Nouns, RoleRule, Rule};
    use super::*;
    use crate::version::Versions;

    const PART: &[Field] = &[
        Field::new("name", FieldType::Text { max: 10 }, Rule::Required, "Name"),
        Field::new("config", FieldType::Bool, Rule::Required, "New").since(Version::V7_4),
    ];
    static SAMPLE: Object = Object {
        name: "sample",
        type_name: "Sample",
        nouns: Nouns { one: "a sample", several: "samples" },
        resource: None,
        role: RoleRule::READ_ONLY,
        writes: None,
        id: "thingid",
        ids: "thingids",
        fields: &[
            Field::new("thingid", FieldType::Id, Rule::ReadOnly, "Id"),
            Field::new("kind", FieldType::Code(&[0, 1, 2]), Rule::Default("0"), "Kind")
                .codes_of(&CodesByVersion(&[(2, Versions::since(Version::V7_2))])),
            Field::new("parts", FieldType::List(PART), Rule::Optional, "Parts"),
            Field::new("old", FieldType::Bool, Rule::Optional, "Old").until(Version::V7_2),
        ],
        selects: &[
            Select::new("selectParts", "parts", Gives::Parts(PART)),
            Select::new("selectOld", "old", Gives::Nothing).until(Version::V7_0),
            Select::new("selectNew", "new", Gives::Nothing).since(Version::V7_4),
        ],
        params: Params::of(&["gone", "stays", "comes"]).by_version(&[
            ("gone", Versions::until(Version::V7_0)),
            ("comes", Versions::since(Version::V7_2)),
        ]),
        sort: &[],
        doc: "A sample",
    };
    static SAME: Object =
        Object { fields: &[], selects: &[], params: Params::of(&["stays"]), ..SAMPLE };

    fn names(fields: &[Field]) -> Vec<&str> {
        fields.iter().map(|it| it.name).collect()
    }

    #[test]
    fn a_field_is_there_in_the_versions_of_its_row_in_parts_too() {
        let at = |version| {
            let object = SAMPLE.at(version);
            let FieldType::List(part) = object.field("parts").expect("it is there").kind else {
                panic!("a list")
            };
            (names(object.fields), names(part))
        };
        let old = vec!["thingid", "kind", "parts", "old"];
        assert_eq!(at(Version::V7_0), (old.clone(), vec!["name"]));
        assert_eq!(at(Version::V7_2), (old, vec!["name"]));
        assert_eq!(at(Version::V7_4), (vec!["thingid", "kind", "parts"], vec!["name", "config"]));
    }

    #[test]
    fn codes_selects_and_parameters_follow_their_rows() {
        let codes = |version| match SAMPLE.at(version).field("kind").map(|it| it.kind) {
            Some(FieldType::Code(codes)) => codes,
            other => panic!("{other:?}"),
        };
        assert_eq!(codes(Version::V7_0), [0, 1]);
        assert_eq!(codes(Version::V7_2), [0, 1, 2]);
        let takes = |version| -> Vec<&str> {
            let object = SAMPLE.at(version);
            object
                .selects
                .iter()
                .map(|it| it.param)
                .chain(object.params.taken.iter().copied())
                .collect()
        };
        assert_eq!(takes(Version::V7_0), ["selectParts", "selectOld", "gone", "stays"]);
        assert_eq!(takes(Version::V7_2), ["selectParts", "stays", "comes"]);
        assert_eq!(takes(Version::V7_4), ["selectParts", "selectNew", "stays", "comes"]);
        assert!(SAMPLE.lacks("selectOld", Version::V7_2) && SAMPLE.lacks("gone", Version::V7_4));
        assert!(!SAMPLE.lacks("stays", Version::V7_4) && !SAMPLE.lacks("unheard", Version::V7_4));
    }

    #[test]
    fn equal_descriptions_of_versions_are_shared() {
        for version in Version::ALL {
            assert!(std::ptr::eq(SAME.at(version), &raw const SAME), "{version}");
            assert!(std::ptr::eq(SAMPLE.at(version), SAMPLE.at(version)), "made once: {version}");
        }
    }
}
