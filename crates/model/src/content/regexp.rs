//! Global regular expressions: several conditions on a text under one name.

use serde::{Deserialize, Serialize};

use super::{codes, flag};
use crate::RegexpId;

codes! {
    /// The condition of one expression of a global regular expression.
    pub enum RegexpKind {
        /// It contains the text.
        Included = 0,
        /// It contains one of the texts.
        AnyIncluded = 1,
        /// It does not contain the text.
        NotIncluded = 2,
        /// It matches.
        True = 3,
        /// It does not match.
        False = 4,
    }
}

/// A global regular expression, used as `@name`. A text matches if all expressions hold.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct GlobalRegexp {
    pub regexpid: RegexpId,
    pub name: String,
    /// The text that users test it with.
    pub test_string: String,
    pub expressions: Vec<RegexpExpression>,
}

/// One expression of a global regular expression.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RegexpExpression {
    pub expression: String,
    #[serde(rename = "expression_type")]
    pub kind: RegexpKind,
    /// Between the texts of [`RegexpKind::AnyIncluded`].
    #[serde(default = "comma")]
    pub exp_delimiter: String,
    #[serde(default, with = "flag")]
    pub case_sensitive: bool,
}

fn comma() -> String {
    ",".to_owned()
}
