//! Graphs and graph prototypes.

use serde::{Deserialize, Serialize};

use super::{flag, overrides};
use crate::ItemId;

/// The most items of a graph: the ids of its items are computed from the graph's id and the item's position.
pub const GRAPH_ITEMS_MAX: usize = 4_096;

/// One item that a graph shows.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct GraphItem {
    /// As the holder knew it where the graph was written.
    pub itemid: ItemId,
    /// 0 line, 1 filled region, 2 bold line, 3 dot, 4 dashed line, 5 gradient line.
    #[serde(deserialize_with = "super::deserialize_i64", serialize_with = "super::host::as_text")]
    pub drawtype: i64,
    /// Hexadecimal, without `#`.
    pub color: String,
    /// 0 left, 1 right.
    #[serde(deserialize_with = "super::deserialize_i64", serialize_with = "super::host::as_text")]
    pub yaxisside: i64,
    /// 1 minimum, 2 average, 4 maximum, 7 all, 9 last.
    #[serde(deserialize_with = "super::deserialize_i64", serialize_with = "super::host::as_text")]
    pub calc_fnc: i64,
    /// 0 simple, 2 sum of a pie.
    #[serde(
        rename = "type",
        deserialize_with = "super::deserialize_i64",
        serialize_with = "super::host::as_text"
    )]
    pub kind: i64,
    /// Items are shown from the least to the greatest.
    #[serde(deserialize_with = "super::deserialize_i64", serialize_with = "super::host::as_text")]
    pub sortorder: i64,
}

impl Default for GraphItem {
    fn default() -> Self {
        Self {
            itemid: ItemId::NONE,
            drawtype: 0,
            color: "009600".to_owned(),
            yaxisside: 0,
            calc_fnc: 2,
            kind: 0,
            sortorder: 0,
        }
    }
}

/// The content of a graph or graph prototype.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct GraphContent {
    pub name: String,
    /// Pixels.
    #[serde(deserialize_with = "super::deserialize_i64", serialize_with = "super::host::as_text")]
    pub width: i64,
    /// Pixels.
    #[serde(deserialize_with = "super::deserialize_i64", serialize_with = "super::host::as_text")]
    pub height: i64,
    /// 0 normal, 1 stacked, 2 pie, 3 exploded pie.
    #[serde(deserialize_with = "super::deserialize_i64", serialize_with = "super::host::as_text")]
    pub graphtype: i64,
    /// Of axes with fixed ends.
    #[serde(with = "float_text")]
    pub yaxismin: f64,
    #[serde(with = "float_text")]
    pub yaxismax: f64,
    /// 0 calculated, 1 fixed, 2 the value of an item.
    #[serde(deserialize_with = "super::deserialize_i64", serialize_with = "super::host::as_text")]
    pub ymin_type: i64,
    #[serde(deserialize_with = "super::deserialize_i64", serialize_with = "super::host::as_text")]
    pub ymax_type: i64,
    pub ymin_itemid: ItemId,
    pub ymax_itemid: ItemId,
    #[serde(with = "flag")]
    pub show_work_period: bool,
    #[serde(with = "flag")]
    pub show_triggers: bool,
    #[serde(with = "flag")]
    pub show_legend: bool,
    #[serde(with = "flag")]
    pub show_3d: bool,
    /// Percentile lines; 0: none.
    #[serde(with = "float_text")]
    pub percent_left: f64,
    #[serde(with = "float_text")]
    pub percent_right: f64,
    pub gitems: Vec<GraphItem>,
    pub uuid: String,
    /// The rule of a prototype; 0 otherwise.
    pub ruleid: ItemId,
    /// Of a prototype: rows of the rule make graphs. The API writes it 0 for yes.
    pub discover: bool,
}

impl Default for GraphContent {
    fn default() -> Self {
        Self {
            name: String::new(),
            width: 900,
            height: 200,
            graphtype: 0,
            yaxismin: 0.0,
            yaxismax: 100.0,
            ymin_type: 0,
            ymax_type: 0,
            ymin_itemid: ItemId::NONE,
            ymax_itemid: ItemId::NONE,
            show_work_period: true,
            show_triggers: true,
            show_legend: true,
            show_3d: false,
            percent_left: 0.0,
            percent_right: 0.0,
            gitems: Vec::new(),
            uuid: String::new(),
            ruleid: ItemId::NONE,
            discover: true,
        }
    }
}

impl GraphContent {
    /// The items that it names: first those that it shows, then those at the ends of its axis.
    pub fn items(&self) -> impl Iterator<Item = ItemId> {
        let axis = [self.ymin_itemid, self.ymax_itemid].into_iter().filter(|it| it.is_some());
        self.gitems.iter().map(|it| it.itemid).chain(axis)
    }

    /// A pie has no axis.
    #[must_use]
    pub fn is_pie(&self) -> bool {
        self.graphtype >= 2
    }
}

overrides! {
    /// A user's changes of an inherited graph prototype: the other fields belong to the template.
    #[derive(Copy)]
    pub struct GraphOverrides of GraphContent {
        discover: bool,
    }
}

/// Numbers that the API writes as texts.
mod float_text {
    use serde::{Deserializer, Serializer};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
    pub(super) fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = f64;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a number, also as text")
            }
            fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<f64, E> {
                Ok(value)
            }
            fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<f64, E> {
                self.visit_str(&value.to_string())
            }
            fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<f64, E> {
                self.visit_str(&value.to_string())
            }
            fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<f64, E> {
                let number = value.parse().ok().filter(|it: &f64| it.is_finite());
                number.ok_or_else(|| E::custom(format_args!("not a number: {value:?}")))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_texts_and_read_from_both() {
        let graph = GraphContent { yaxismin: -0.5, ..GraphContent::default() };
        let text = serde_json::to_value(&graph).unwrap();
        assert_eq!((&text["yaxismin"], &text["yaxismax"]), (&"-0.5".into(), &"100".into()));
        assert_eq!(serde_json::from_value::<GraphContent>(text).unwrap(), graph);
        let read: GraphContent =
            serde_json::from_str(r#"{"yaxismin": -0.5, "width": 900, "gitems": [{}]}"#).unwrap();
        let expected = GraphContent { gitems: vec![GraphItem::default()], ..graph };
        assert_eq!(read, expected);
        assert!(serde_json::from_str::<GraphContent>(r#"{"yaxismin": "nan"}"#).is_err());
    }
}
