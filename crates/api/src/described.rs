//! The objects that methods write, with these methods: for programs that follow the descriptions.

use model::version::Version;

use crate::describe::Object;
use crate::generate::method_for;
use crate::registry;

/// An object that is created or changed by methods.
#[derive(Clone, Copy, Debug)]
pub struct WrittenObject {
    /// As the default version has it.
    pub object: &'static Object,
    /// The names of its methods; `None` for what there is one of.
    pub create: Option<&'static str>,
    pub update: Option<&'static str>,
    pub delete: Option<&'static str>,
}

/// All of them.
pub fn written() -> impl Iterator<Item = WrittenObject> {
    let written = registry::all().filter(|it| it.object.writes.is_some());
    written.map(|it| {
        let named = |verb: &str| method_for(it, verb).map(|method| method.name);
        WrittenObject {
            object: it.object.at(Version::default()),
            create: named("create"),
            update: named("update"),
            delete: named("delete"),
        }
    })
}
