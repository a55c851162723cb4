//! Maps: files name the objects on them, which are resolved here.
//!
//! Files of 7.4 name line types by words and leave out what is at its default; both forms are read.
//! Parts that are the same as before keep their ids and their places, so that importing a map again
//! changes nothing.

use std::collections::{BTreeMap, BTreeSet};

use model::TriggerId;
use model::describe::{Field, FieldType, Rule};
use model::document::Body;
use serde_json::{Value as Json, json};

use super::documents::complete;
use super::fields::Fields;
use super::reader::{Node, unsupported};
use super::{ImportRule, Importer};
use crate::configuration::objects::graph::DRAW_TYPES;
use crate::configuration::objects::map::{
    ELEMENT, ELEMENT_TAG, HOST, HOST_GROUP, LINE, LINK, LINK_HIGHLIGHT, LINK_THRESHOLD,
    LINK_TRIGGER, MAP, MAP_URL, OF_ITEM, OF_TRIGGERS, SHAPE, SUBMAP, TRIGGER, list, text,
};
use crate::configuration::objects::names::{
    BACKGROUND_SCALE, ITEM_VALUE, LINK_HIGHLIGHT_FIELDS, LINK_THRESHOLD_FIELDS, MAP_ELEMENT,
    MAP_ICONS, MAP_LINE, MAP_OWN, MAP_SHAPE, MAP_SINCE_7_4, PART_SINCE_7_4, SinceV74,
};
use crate::error::ConfigError;

/// Fields by which parts are the same: all of them, else some.
type Sameness = &'static [&'static [&'static str]];

const SAME_ELEMENT: Sameness =
    &[&["elementtype", "elements", "label", "x", "y"], &["elementtype", "elements"]];
const SAME_LINK: Sameness =
    &[&["selementid1", "selementid2", "label"], &["selementid1", "selementid2"]];
const SAME_SHAPE: Sameness = &[MAP_SHAPE, &["type", "x", "y"]];
const SAME_LINE: Sameness = &[MAP_LINE, &["x1", "y1", "x2", "y2"]];
const SAME_URL: Sameness = &[&["name"]];
const SAME_TRIGGER: Sameness = &[&["triggerid"]];

impl Importer<'_> {
    /// Makes all maps first, then puts elements on them: they may stand for each other.
    pub(super) fn maps(&mut self, nodes: Vec<Node>) -> Result<(), ConfigError> {
        let ImportRule { create, update, .. } = self.rules.maps;
        let mut pending = Vec::new();
        for mut node in nodes {
            let name = node.needed_text("name")?;
            let known = self.map_named(&name);
            if !(if known.is_some() { update } else { create }) {
                continue;
            }
            let fields = self.map_itself(&name, &mut node)?;
            let id = match known {
                Some(id) => id,
                None => self.new_map(&fields)?,
            };
            self.documents.entry("maps").or_default().insert(id);
            pending.push((id, known.is_some(), name, fields, node));
        }
        for (id, was_there, name, mut fields, mut node) in pending {
            let old = match self.e.snapshot().documents.get(MAP.object.name, id) {
                Some(it) => it.body.clone(),
                None => Body::new(),
            };
            if was_there {
                keep_parts(&mut fields, &old);
            } else {
                fields.clear();
            }
            let (elements, ids) = self.elements(&name, &mut node, &old)?;
            fields.insert("selements".to_owned(), Json::Array(elements));
            fields.insert("links".to_owned(), self.links_of(&name, &mut node, &old, &ids)?);
            node.finish()?;
            self.e.update(MAP.kind(), id, fields)?;
        }
        Ok(())
    }

    fn map_named(&self, name: &str) -> Option<u64> {
        self.e.snapshot().documents.by_key(MAP.object.name, name).map(|it| it.id)
    }

    fn new_map(&mut self, fields: &Fields) -> Result<u64, ConfigError> {
        let mut fields = fields.clone();
        if let Some(owner) = self.owner {
            fields.insert("userid".to_owned(), owner.to_string().into());
        }
        self.e.create(MAP.kind(), fields)
    }

    /// All but elements and links.
    fn map_itself(&self, name: &str, node: &mut Node) -> Result<Fields, ConfigError> {
        let mut fields = plain(MAP.object.fields, MAP_OWN, node)?;
        fields.insert("name".to_owned(), name.into());
        let background = child_name(node, "background")?;
        let background = background.map(|it| self.image(&it, "background image", name));
        let background = background.transpose()?.unwrap_or_else(|| "0".to_owned());
        fields.insert("backgroundid".to_owned(), background.into());
        let icon_map = child_name(node, "iconmap")?.map(|it| {
            let found = self.e.snapshot().documents.by_key("iconmap", &it).map(|it| it.id);
            found.ok_or_else(|| missing("icon map", &it, name))
        });
        let icon_map = icon_map.transpose()?.unwrap_or_default();
        fields.insert("iconmapid".to_owned(), icon_map.to_string().into());
        for (tag, of, names) in [
            ("urls", MAP_URL, &["name", "url", "elementtype"][..]),
            ("shapes", SHAPE, MAP_SHAPE),
            ("lines", LINE, MAP_LINE),
        ] {
            let mut parts = Vec::new();
            for mut part in node.list(tag)? {
                let fields = plain(of, names, &mut part)?;
                part.finish()?;
                parts.push(Json::Object(fields));
            }
            fields.insert(tag.to_owned(), Json::Array(parts));
        }
        since_7_4(node, MAP_SINCE_7_4, &mut fields)?;
        let usual = if self.is_of_7_4 { "1" } else { "0" };
        since_7_4(node, &[("background_scale", BACKGROUND_SCALE, usual)], &mut fields)?;
        if !self.is_of_7_4 && text(&fields, "backgroundid") == "0" {
            // It does not matter and files say nothing of it: a map keeps what it has.
            fields.remove("background_scale");
        }
        Ok(fields)
    }

    /// The elements, and by which ids links name those of the file.
    fn elements(
        &self,
        map: &str,
        node: &mut Node,
        old: &Body,
    ) -> Result<(Vec<Json>, BTreeMap<String, String>), ConfigError> {
        let mut found = Vec::new();
        let mut in_file = BTreeSet::new();
        for mut part in node.list("selements")? {
            let mut fields = self.element(map, &mut part)?;
            let id = part.needed_text("selementid")?;
            if !in_file.insert(id.clone()) {
                let path = part.path_of("selementid");
                return Err(unsupported(&path, "selementid values should be unique"));
            }
            part.finish()?;
            complete(ELEMENT, &mut fields);
            fields.insert("selementid".to_owned(), format!("new {id}").into());
            found.push((id, fields));
        }
        let (names, parts): (Vec<String>, Vec<Fields>) = found.into_iter().unzip();
        let kept = ids_kept(&parts, old, "selements", "selementid", SAME_ELEMENT);
        let mut ids = BTreeMap::new();
        let each = names.into_iter().zip(parts).zip(&kept);
        let parts = each.map(|((name, mut fields), kept)| {
            if let Some((_, id, old)) = kept {
                fields.insert("selementid".to_owned(), id.as_str().into());
                keep_list(&mut fields, old, "urls", "sysmapelementurlid", SAME_URL);
            }
            ids.insert(name, text(&fields, "selementid").to_owned());
            fields
        });
        let parts: Vec<Fields> = parts.collect();
        let places: Vec<Option<usize>> = kept.iter().map(|it| it.as_ref().map(|it| it.0)).collect();
        Ok((in_places(parts, &places), ids))
    }

    fn element(&self, map: &str, node: &mut Node) -> Result<Fields, ConfigError> {
        let mut fields = plain(ELEMENT, MAP_ELEMENT, node)?;
        let kind = text(&fields, "elementtype").parse().unwrap_or_default();
        let mut targets = Vec::new();
        for mut target in node.list("elements")? {
            targets.extend(self.target(map, kind, &mut target)?);
            target.finish()?;
        }
        fields.insert("elements".to_owned(), Json::Array(targets));
        for (tag, field) in MAP_ICONS {
            let icon = child_name(node, tag)?.map(|it| self.image(&it, "icon", map)).transpose()?;
            if icon.is_none() && *field == "iconid_off" {
                return Err(node.missing(tag));
            }
            let icon = icon.unwrap_or_else(|| "0".to_owned());
            fields.insert((*field).to_owned(), icon.into());
        }
        for (tag, of, names) in [
            ("urls", MAP_URL, &["name", "url"][..]),
            ("tags", ELEMENT_TAG, &["tag", "value", "operator"]),
        ] {
            let mut parts = Vec::new();
            for mut part in node.list(tag)? {
                parts.push(Json::Object(plain(of, names, &mut part)?));
                part.finish()?;
            }
            fields.insert(tag.to_owned(), Json::Array(parts));
        }
        since_7_4(node, PART_SINCE_7_4, &mut fields)?;
        Ok(fields)
    }

    /// The object of an element; `None` if there is none.
    fn target(&self, map: &str, kind: i64, node: &mut Node) -> Result<Option<Json>, ConfigError> {
        let snapshot = self.e.snapshot();
        Ok(match kind {
            HOST => {
                let name = node.needed_text("host")?;
                let found = snapshot.host_named(&name).map(|it| it.id);
                let id = found.ok_or_else(|| missing("host", &name, map))?;
                Some(json!({"hostid": id.to_string()}))
            }
            HOST_GROUP => {
                let name = node.needed_text("name")?;
                let found = self.e.host_group_named(&name);
                let id = found.ok_or_else(|| missing("group", &name, map))?;
                Some(json!({"groupid": id.to_string()}))
            }
            SUBMAP => {
                let name = node.needed_text("name")?;
                let id = self.map_named(&name).ok_or_else(|| missing("map", &name, map))?;
                Some(json!({"sysmapid": id.to_string()}))
            }
            TRIGGER => {
                let id = self.trigger_of_map(map, node)?;
                Some(json!({"triggerid": id.to_string()}))
            }
            _ => None,
        })
    }

    fn trigger_of_map(&self, map: &str, node: &mut Node) -> Result<TriggerId, ConfigError> {
        let name = (
            node.needed_text("description")?,
            node.needed_text("expression")?,
            node.text("recovery_expression")?.unwrap_or_default(),
        );
        let found = self
            .find_trigger(&name)
            .filter(|id| self.e.snapshot().trigger(*id).is_some_and(|(_, row)| row.is_live()));
        found.ok_or_else(|| missing("trigger", &name.0, map))
    }

    fn image(&self, name: &str, noun: &str, map: &str) -> Result<String, ConfigError> {
        let found = self.e.snapshot().documents.by_key("image", name);
        found.map(|it| it.id.to_string()).ok_or_else(|| missing(noun, name, map))
    }

    fn links_of(
        &self,
        map: &str,
        node: &mut Node,
        old: &Body,
        elements: &BTreeMap<String, String>,
    ) -> Result<Json, ConfigError> {
        let mut parts = Vec::new();
        for mut part in node.list("links")? {
            let mut fields = plain(LINK, &["color", "label"], &mut part)?;
            fields.insert("drawtype".to_owned(), draw_type(&mut part)?.into());
            for end in ["selementid1", "selementid2"] {
                let id = part.needed_text(end)?;
                let element = elements.get(&id).ok_or_else(|| {
                    ConfigError::parameters(format_args!(
                        "Link \"{end}\" field is pointing to a nonexistent map selement ID \"{id}\" for map \"{map}\"."
                    ))
                })?;
                fields.insert(end.to_owned(), element.as_str().into());
            }
            let mut triggers = Vec::new();
            for mut trigger in part.list("linktriggers")? {
                triggers.push(Json::Object(self.link_trigger(map, &mut trigger)?));
                trigger.finish()?;
            }
            fields.insert("linktriggers".to_owned(), Json::Array(triggers));
            since_7_4(&mut part, PART_SINCE_7_4, &mut fields)?;
            self.indicator(map, &mut part, &mut fields)?;
            part.finish()?;
            complete(LINK, &mut fields);
            parts.push(fields);
        }
        let kept = ids_kept(&parts, old, "links", "linkid", SAME_LINK);
        for (fields, kept) in parts.iter_mut().zip(&kept) {
            if let Some((_, id, old)) = kept {
                fields.insert("linkid".to_owned(), id.as_str().into());
                keep_list(fields, old, "linktriggers", "linktriggerid", SAME_TRIGGER);
            }
        }
        let places: Vec<Option<usize>> = kept.iter().map(|it| it.as_ref().map(|it| it.0)).collect();
        Ok(Json::Array(in_places(parts, &places)))
    }

    /// The indicator of a link: none, triggers, or the value of an item.
    fn indicator(
        &self,
        map: &str,
        node: &mut Node,
        fields: &mut Fields,
    ) -> Result<(), ConfigError> {
        let has_triggers = list(fields, "linktriggers").next().is_some();
        let kind = if has_triggers { OF_TRIGGERS } else { "0" };
        fields.insert("indicator_type".to_owned(), kind.into());
        let given = node.text("indicator_type")?;
        let item = node.child("item")?;
        let looks = [
            ("thresholds", looks(node, "thresholds", LINK_THRESHOLD, LINK_THRESHOLD_FIELDS)?),
            ("highlights", looks(node, "highlights", LINK_HIGHLIGHT, LINK_HIGHLIGHT_FIELDS)?),
        ];
        if let Some(mut item) = item {
            let (host, key) = (item.text("host")?, item.text("key")?);
            item.finish()?;
            if given.as_deref() == Some(ITEM_VALUE) {
                let (host, key) = (host.unwrap_or_default(), key.unwrap_or_default());
                let holder = self.e.snapshot().host_named(&host);
                let found = holder.and_then(|it| it.items.iter().find(|it| *it.key() == key));
                let noun = format!("item \"{key}\" of host");
                let id = found.map(|it| it.id).ok_or_else(|| missing(&noun, &host, map))?;
                fields.insert("itemid".to_owned(), id.to_string().into());
                fields.insert("indicator_type".to_owned(), OF_ITEM.into());
                for (name, parts) in looks {
                    fields.insert(name.to_owned(), Json::Array(parts));
                }
            }
        }
        fields.entry("itemid").or_insert_with(|| "0".into());
        Ok(())
    }

    fn link_trigger(&self, map: &str, node: &mut Node) -> Result<Fields, ConfigError> {
        let mut fields = Fields::new();
        let mut trigger = node.child("trigger")?.ok_or_else(|| node.missing("trigger"))?;
        let id = self.trigger_of_map(map, &mut trigger)?;
        trigger.finish()?;
        fields.insert("triggerid".to_owned(), id.to_string().into());
        // 7.0 always says it, and 7.4 unless it is this.
        let color = node.text("color")?.unwrap_or_else(|| "000000".to_owned());
        fields.insert("color".to_owned(), color.into());
        fields.insert("drawtype".to_owned(), draw_type(node)?.into());
        complete(LINK_TRIGGER, &mut fields);
        Ok(fields)
    }
}

fn missing(noun: &str, name: &str, map: &str) -> ConfigError {
    ConfigError::application(format_args!("Cannot find {noun} \"{name}\" used in map \"{map}\"."))
}

/// The name in a child; `None` if there is none.
fn child_name(node: &mut Node, tag: &str) -> Result<Option<String>, ConfigError> {
    let Some(mut child) = node.child(tag)? else { return Ok(None) };
    let name = child.text("name")?;
    child.finish()?;
    Ok(name.filter(|it| !it.is_empty()))
}

/// Fields that stand in files as the API has them; those that are left out are at their defaults.
fn plain(of: &[Field], names: &[&str], node: &mut Node) -> Result<Fields, ConfigError> {
    let mut fields = Fields::new();
    for name in names {
        let Some(field) = of.iter().find(|it| it.name == *name) else { continue };
        let path = node.path_of(name);
        let value = match (node.text(name)?, field.rule) {
            (Some(it), _) => it,
            (None, Rule::Default(default)) => default.to_owned(),
            (None, Rule::Required) => return Err(node.missing(name)),
            (None, _) => continue,
        };
        let number = || value.parse::<i64>().ok();
        let is_right = match field.kind {
            FieldType::Int { min, max } => number().is_some_and(|it| min <= it && it <= max),
            FieldType::Code(codes) => number().is_some_and(|it| codes.contains(&it)),
            FieldType::Text { max } => value.chars().count() <= max,
            _ => true,
        };
        if !is_right {
            return Err(unsupported(&path, format_args!("unexpected constant \"{value}\"")));
        }
        fields.insert((*name).to_owned(), value.into());
    }
    Ok(fields)
}

/// How a link looks by values of its item: the list `name` of its looks.
fn looks(
    node: &mut Node,
    name: &str,
    of: &[Field],
    names: &[&str],
) -> Result<Vec<Json>, ConfigError> {
    let plain_names: Vec<&str> = names.iter().copied().filter(|it| *it != "drawtype").collect();
    let mut looks = Vec::new();
    for mut part in node.list(name)? {
        let mut look = plain(of, &plain_names, &mut part)?;
        look.insert("drawtype".to_owned(), draw_type(&mut part)?.into());
        part.finish()?;
        looks.push(Json::Object(look));
    }
    Ok(looks)
}

/// A code up to 7.2, a word in 7.4.
fn draw_type(node: &mut Node) -> Result<String, ConfigError> {
    let path = node.path_of("drawtype");
    let given = node.text("drawtype")?.filter(|it| !it.is_empty());
    let given = given.unwrap_or_else(|| "0".to_owned());
    let named = DRAW_TYPES.iter().find(|(it, _)| *it == given).map(|it| it.1.to_string());
    let code = named.unwrap_or_else(|| given.clone());
    if matches!(code.as_str(), "0" | "2" | "3" | "4") {
        return Ok(code);
    }
    Err(unsupported(&path, format_args!("unexpected constant \"{given}\"")))
}

/// Fields of 7.4: words, or codes as the API has them; how it was before where they are left out.
fn since_7_4(node: &mut Node, fields: &[SinceV74], into: &mut Fields) -> Result<(), ConfigError> {
    for (name, words, before) in fields {
        let path = node.path_of(name);
        let given = node.text(name)?.filter(|it| !it.is_empty());
        let code = match &given {
            Some(it) => {
                let known = words.iter().find(|(word, code)| word == it || code == it);
                let known = known.filter(|it| it.1 != "-1" || *before == "-1");
                known.map(|it| it.1).ok_or_else(|| {
                    unsupported(&path, format_args!("unexpected constant \"{it}\""))
                })?
            }
            None => before,
        };
        into.insert((*name).to_owned(), code.into());
    }
    Ok(())
}

/// Of each new part the old one that it is: its place, its id and its fields.
fn ids_kept<'o>(
    parts: &[Fields],
    old: &'o Body,
    name: &str,
    id: &str,
    sameness: Sameness,
) -> Vec<Option<(usize, String, &'o Body)>> {
    let mut left: Vec<(usize, &Body)> = list(old, name).enumerate().collect();
    let mut kept: Vec<Option<(usize, String, &Body)>> = vec![None; parts.len()];
    for names in sameness {
        for (part, kept) in parts.iter().zip(&mut kept).filter(|it| it.1.is_none()) {
            let is_same = |it: &&Body| names.iter().all(|name| it.get(*name) == part.get(*name));
            let found = left.iter().position(|it| is_same(&it.1));
            *kept = found.map(|at| {
                let (place, it) = left.remove(at);
                (place, text(it, id).to_owned(), it)
            });
        }
    }
    kept
}

/// Parts in the order of those that they were, new ones after them.
fn in_places(parts: Vec<Fields>, places: &[Option<usize>]) -> Vec<Json> {
    let mut parts: Vec<(Fields, Option<usize>)> =
        parts.into_iter().zip(places.iter().copied()).collect();
    parts.sort_by_key(|it| it.1.unwrap_or(usize::MAX));
    parts.into_iter().map(|it| Json::Object(it.0)).collect()
}

fn keep_list(fields: &mut Fields, old: &Body, name: &str, id: &str, sameness: Sameness) {
    let Some(Json::Array(given)) = fields.get_mut(name).map(Json::take) else { return };
    let mut parts: Vec<Fields> = given.into_iter().map(super::object).collect();
    let kept = ids_kept(&parts, old, name, id, sameness);
    for (part, kept) in parts.iter_mut().zip(&kept) {
        if let Some((_, known, _)) = kept {
            part.insert(id.to_owned(), known.as_str().into());
        }
    }
    let places: Vec<Option<usize>> = kept.iter().map(|it| it.as_ref().map(|it| it.0)).collect();
    fields.insert(name.to_owned(), Json::Array(in_places(parts, &places)));
}

fn keep_parts(fields: &mut Fields, old: &Body) {
    keep_list(fields, old, "urls", "sysmapurlid", SAME_URL);
    keep_list(fields, old, "shapes", "sysmap_shapeid", SAME_SHAPE);
    keep_list(fields, old, "lines", "sysmap_shapeid", SAME_LINE);
}
