//! A map's own fields: size, owner, users and groups that it is shared with, labels, grid and addresses.

use db::objects::map::SCHEMES;
use model::map::Set;
use model::{UserGroupId, UserId};
use serde_json::{Value, json};

use super::wanted::{Wanted, is_blank};
use crate::error::ApiError;
use crate::json::Fields;
use crate::objects::users::user::is_visible;
use crate::query::given::text;
use crate::shared::Ctx;

const PUBLIC: &str = "0";
const READ: &str = "2";
const IS_ADVANCED: &str = "1";
/// Kinds of labels.
const ADDRESS: &str = "1";
const STATUS: &str = "3";
const CUSTOM: &str = "5";

fn wrong<T>(what: String) -> Result<T, ApiError> {
    Err(ApiError::params(what))
}

pub(super) fn size(map: &Wanted) -> Result<(), ApiError> {
    for name in ["width", "height"] {
        let size: Option<f64> = map.get(name).and_then(|it| text(it).parse().ok());
        if !size.is_some_and(|it| (1.0..=65_535.0).contains(&it)) {
            return wrong(format!("Incorrect \"{name}\" value for map \"{}\".", map.name()));
        }
    }
    Ok(())
}

/// Whether the caller may give a map to the owner that is given.
pub(super) fn owner(ctx: &Ctx, map: &Wanted) -> Result<(), ApiError> {
    let Some(owner) = map.given.get("userid") else { return Ok(()) };
    if is_blank(owner) || *owner == json!(false) {
        return wrong("Map owner cannot be empty.".to_owned());
    }
    let identity = &ctx.caller.identity;
    if text(owner) != ctx.rights.userid.to_string()
        && identity.role < model::content::RoleType::Admin
    {
        return wrong("Only administrators can set map owner.".to_owned());
    }
    Ok(())
}

/// All but size and owner.
pub(super) fn judge(ctx: &Ctx, map: &Wanted) -> Result<(), ApiError> {
    let name = map.name();
    if let Some(it) = map.get("private").filter(|it| !["0", "1"].contains(&&*text(it))) {
        return wrong(format!("Incorrect \"private\" value \"{}\" for map \"{name}\".", text(it)));
    }
    for (field, codes) in
        [("show_suppressed", &["0", "1"][..]), ("expandproblem", &["0", "1", "2"])]
    {
        if map.get(field).is_some_and(|it| !codes.contains(&&*text(it))) {
            return wrong(format!(
                "Incorrect value for field \"{field}\": value must be one of {}.",
                codes.join(", ")
            ));
        }
    }
    shares(ctx, map, &name)?;
    labels(map, &name)?;
    grid(map)?;
    urls(map, &name)
}

/// The words for users or groups that a map is shared with.
struct Sharing {
    list: &'static str,
    id: &'static str,
    one: &'static str,
    blank: &'static str,
    of: &'static str,
    duplicate: &'static str,
}

const USERS: Sharing = Sharing {
    list: "users",
    id: "userid",
    one: "User sharing",
    blank: "Sharing option",
    of: "users",
    duplicate: "userid",
};
const GROUPS: Sharing = Sharing {
    list: "userGroups",
    id: "usrgrpid",
    one: "User group sharing",
    blank: "Field",
    of: "user groups",
    duplicate: "\"usrgrpid\"",
};

fn shares(ctx: &Ctx, map: &Wanted, name: &str) -> Result<(), ApiError> {
    let access = &ctx.snapshot.access;
    let mut users = shared_with(map, name, &USERS)?;
    // A new owner is checked together with the users that it is shared with.
    users.extend(map.given.get("userid").map(text).filter(|it| it != "0"));
    let is_user = |it: &String| {
        let user = it.parse().ok().and_then(|it| access.users.get(&UserId(it)));
        user.is_some_and(|it| is_visible(ctx, it))
    };
    if !users.iter().all(is_user) {
        return wrong(format!("Incorrect user ID specified for map \"{name}\"."));
    }
    let own = &ctx.caller.identity.groups;
    let is_group = |it: &String| {
        let id = it.parse().ok().map(UserGroupId).filter(|it| access.groups.contains_key(it));
        id.is_some_and(|it| ctx.is_super_admin() || own.contains(&it))
    };
    if !shared_with(map, name, &GROUPS)?.iter().all(is_group) {
        return wrong(format!("Incorrect user group ID specified for map \"{name}\"."));
    }
    Ok(())
}

/// The ids of users or groups that a map is shared with.
fn shared_with(map: &Wanted, name: &str, of: &Sharing) -> Result<Vec<String>, ApiError> {
    let mut ids = Vec::new();
    let mut seen = Set::default();
    for share in map.objects(of.list)? {
        let needed = [of.id, "permission"];
        let missing: Vec<&str> = needed.into_iter().filter(|it| !share.contains_key(*it)).collect();
        if !missing.is_empty() {
            let missing = missing.join(", ");
            return wrong(format!(
                "{} is missing parameters: {missing} for map \"{name}\".",
                of.one
            ));
        }
        for field in needed {
            if is_blank(&share[field]) {
                let blank = of.blank;
                return wrong(format!(
                    "{blank} \"{field}\" is missing a value for map \"{name}\"."
                ));
            }
        }
        let permission = text(&share["permission"]);
        if !["2", "3"].contains(&&*permission) {
            return wrong(format!(
                "Incorrect \"permission\" value \"{permission}\" in {} for map \"{name}\".",
                of.of
            ));
        }
        if map.is_code("private", PUBLIC) && permission == READ {
            return wrong(format!("Map \"{name}\" is public and read-only sharing is disallowed."));
        }
        let id = text(&share[of.id]);
        if !seen.insert(id.clone()) {
            return wrong(format!(
                "Duplicate {} \"{id}\" in {} for map \"{name}\".",
                of.duplicate, of.of
            ));
        }
        ids.push(id);
    }
    Ok(ids)
}

/// The labels of elements, kind by kind: the field, that of its own text and the kind's name in errors.
const LABELS: [(&str, &str, &str); 6] = [
    ("label_type", "", "icon"),
    ("label_type_hostgroup", "label_string_hostgroup", "host group"),
    ("label_type_host", "label_string_host", "host"),
    ("label_type_trigger", "label_string_trigger", "trigger"),
    ("label_type_map", "label_string_map", "map"),
    ("label_type_image", "label_string_image", "image"),
];

fn labels(map: &Wanted, name: &str) -> Result<(), ApiError> {
    let n_kinds = if map.is_code("label_format", IS_ADVANCED) { LABELS.len() } else { 1 };
    for (field, string, noun) in &LABELS[..n_kinds] {
        let Some(label) = map.get(field).map(text) else { continue };
        let is_known = ["0", "1", "2", "3", "4", CUSTOM].contains(&&*label);
        let is_custom = label == CUSTOM;
        let is_wrong = !is_known
            || is_custom && string.is_empty()
            || label == STATUS && *field == "label_type_image"
            || label == ADDRESS && !["label_type", "label_type_host"].contains(field);
        if is_wrong {
            return wrong(format!("Incorrect {noun} label type value for map \"{name}\"."));
        }
        if is_custom && map.get(string).is_none_or(is_blank) {
            return wrong(format!(
                "Custom label for map \"{name}\" elements of type \"{noun}\" may not be empty."
            ));
        }
    }
    Ok(())
}

fn grid(map: &Wanted) -> Result<(), ApiError> {
    let sizes = ["20", "40", "50", "75", "100"];
    if let Some(it) = map.get("grid_size").map(text).filter(|it| !sizes.contains(&&**it)) {
        let sizes = sizes.join("\", \"");
        // Zabbix names the field so.
        return wrong(format!(
            "Value \"{it}\" is invalid for parameter \"grid_show\". Choices are: \"{sizes}\"."
        ));
    }
    for (field, choices) in [("grid_align", "\"1\" and \"0\""), ("grid_show", "\"1\" and \"0\".")] {
        let value = map.get(field).map(text).filter(|it| !["0", "1"].contains(&&**it));
        if let Some(it) = value {
            return wrong(format!(
                "Value \"{it}\" is invalid for parameter \"{field}\". Choices are: {choices}"
            ));
        }
    }
    Ok(())
}

fn urls(map: &Wanted, name: &str) -> Result<(), ApiError> {
    let mut seen = Set::default();
    for url in map.objects("urls")? {
        let member = |it: &str| url.get(it).map(text).unwrap_or_default();
        if member("name").is_empty() || member("url").is_empty() {
            return wrong(format!(
                "URL should have both \"name\" and \"url\" fields for map \"{name}\"."
            ));
        }
        if !seen.insert(member("name")) {
            return wrong(format!("URL name should be unique for map \"{name}\"."));
        }
        address(url)?;
    }
    Ok(())
}

/// Refuses addresses that a page would run.
pub(super) fn address(of: &Fields) -> Result<(), ApiError> {
    let url = of.get("url").map(text).unwrap_or_default();
    if !url.is_empty() && lang::link::is_acceptable(&url, Some(SCHEMES)) {
        return Ok(());
    }
    wrong("Wrong value for \"url\" field.".to_owned())
}

/// Six hexadecimal digits.
pub(super) fn color(value: &Value) -> Result<(), ApiError> {
    let color = text(value);
    if color.is_empty() {
        return wrong("Empty color.".to_owned());
    }
    if color.len() == 6 && color.bytes().all(|it| it.is_ascii_hexdigit()) {
        return Ok(());
    }
    wrong(format!(
        "Color \"{color}\" is not correct: expecting hexadecimal color code (6 symbols)."
    ))
}
