//! Texts that no error shows.

use lang::macros::SECRET;

/// Values of secret macros in the texts of something that may fail, the longest first.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Hidden(Box<[String]>);

impl Hidden {
    /// Why something has failed, as people may see it.
    pub fn shown(&self, mut why: String) -> String {
        for it in &self.0 {
            if why.contains(it.as_str()) {
                why = why.replace(it.as_str(), SECRET);
            }
        }
        why
    }
}

impl FromIterator<String> for Hidden {
    fn from_iter<I: IntoIterator<Item = String>>(values: I) -> Self {
        let mut values: Vec<String> = values.into_iter().filter(|it| !it.is_empty()).collect();
        values.sort_unstable_by_key(|it| std::cmp::Reverse(it.len()));
        Self(values.into())
    }
}
