//! The fields that users may change on inherited objects: one list for each kind.

/// Declares the overrides of a content: the fields in which a holder may differ from the object that it
/// inherits from. From the list come the type, its application, the difference of two contents, and the
/// fields to drop when the source changes.
macro_rules! overrides {
    (
        $(#[$doc:meta])*
        pub struct $name:ident of $content:ident {
            $($(#[$attribute:meta])* $field:ident: $type:ty),* $(,)?
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, Hash, Debug, Default, serde::Serialize, serde::Deserialize)]
        #[serde(default)]
        pub struct $name {
            $(
                #[serde(skip_serializing_if = "Option::is_none")]
                $(#[$attribute])*
                pub $field: Option<$type>,
            )*
        }

        impl $name {
            /// The members of the content that they may replace.
            pub const FIELDS: &'static [&'static str] = &[$(stringify!($field)),*];

            #[must_use]
            pub fn is_empty(&self) -> bool {
                *self == Self::default()
            }

            /// The content as it counts where these overrides hold.
            #[must_use]
            pub fn apply(&self, base: &std::sync::Arc<$content>) -> std::sync::Arc<$content> {
                if self.is_empty() {
                    return std::sync::Arc::clone(base);
                }
                let mut it = $content::clone(base);
                $(
                    if let Some(value) = &self.$field {
                        it.$field.clone_from(value);
                    }
                )*
                std::sync::Arc::new(it)
            }

            /// Overrides that turn `base` into `wanted`, as far as such overrides may.
            #[must_use]
            pub fn between(base: &$content, wanted: &$content) -> Self {
                Self {
                    $($field: (wanted.$field != base.$field).then(|| wanted.$field.clone()),)*
                }
            }

            /// A source's change of a field writes through: the override of that field goes.
            pub fn write_through(&mut self, old: &$content, new: &$content) {
                $(
                    if old.$field != new.$field {
                        self.$field = None;
                    }
                )*
            }
        }
    };
}
pub(crate) use overrides;
