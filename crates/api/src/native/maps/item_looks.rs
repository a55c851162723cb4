//! The look of a link by the value of an item: of numbers by the highest reached threshold, of other values
//! by the first pattern that matches.

use db::objects::map::{list, number, text};
use formats::number::parse_suffixed;
use formats::regexp::Regexp;
use model::document::Body;
use model::{ItemId, Value as ItemValue};

use crate::json::item_value;
use crate::shared::Ctx;

/// Color and kind of line; `None`: as without a value, and for items that the caller may not see.
pub(super) fn look(ctx: &Ctx, link: &Body) -> Option<(String, i64)> {
    let id = ItemId(text(link, "itemid").parse().ok()?);
    ctx.snapshot.item(id).filter(|(holder, _)| ctx.may_read(holder))?;
    let value = ctx.ports().live.item(id).last?.value;
    #[expect(clippy::cast_precision_loss, reason = "compared with thresholds, which are floats")]
    let found = match &value {
        ItemValue::Float(it) => reached(link, *it),
        ItemValue::Unsigned(it) => reached(link, *it as f64),
        other => matched(link, &item_value(other)),
    };
    found.map(|it| (text(it, "color").to_owned(), number(it, "drawtype")))
}

fn reached(link: &Body, value: f64) -> Option<&Body> {
    let all = list(link, "thresholds")
        .filter_map(|it| Some((parse_suffixed(text(it, "threshold"))?, it)));
    let below = all.filter(|(threshold, _)| *threshold <= value);
    below.max_by(|(one, _), (two, _)| one.total_cmp(two)).map(|it| it.1)
}

fn matched<'b>(link: &'b Body, value: &str) -> Option<&'b Body> {
    list(link, "highlights").find(|it| {
        let pattern = Regexp::new(text(it, "pattern"));
        pattern.and_then(|it| it.is_match(value)).unwrap_or(false)
    })
}
