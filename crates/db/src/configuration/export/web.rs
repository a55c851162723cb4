//! Web scenarios, by their description.

use std::sync::Arc;

use formats::document::Value;
use model::content::{ItemType, WebPosts, WebScenario, WebStep};
use model::snapshot::{HolderKind, Host};

use super::document::add_content;
use super::entry::{Entry, pairs, tags};
use super::{Exporter, uuid};
use crate::configuration::objects::httptest::{
    IN_FILES, POSTS, STEP_IN_FILES, STEPS, StepField, StepPart, WebField, WebPart, WebTest,
};

impl Exporter<'_> {
    /// The own web scenarios of a holder, by name.
    pub(super) fn web_scenarios(&self, holder: &Arc<Host>) -> Vec<Value> {
        let own = holder.items.iter().filter(|it| {
            it.source.is_none()
                && it.content.kind == ItemType::WebItem
                && WebScenario::is_of(&it.content.key_)
        });
        let mut own: Vec<WebTest> = own.filter_map(|it| WebTest::of(&it.content)).collect();
        own.sort_by(|one, two| one.scenario.name.cmp(&two.scenario.name));
        own.iter().map(|it| self.web_scenario(holder, it)).collect()
    }

    fn web_scenario(&self, holder: &Host, it: &WebTest) -> Value {
        let mut entry = Entry::default();
        let shown = |described: &WebField| (described.field, self.shown_of(holder, described, it));
        let mut part = |part: &WebPart, entry: &mut Entry| match part {
            WebPart::Uuid if holder.kind == HolderKind::Template => {
                let names = ["httptest", &holder.host, &it.scenario.name];
                entry.text("uuid", uuid::or_made(&it.item.uuid, &names));
            }
            WebPart::Uuid => {}
            WebPart::Steps => entry.list(STEPS.name, it.scenario.steps.iter().map(step).collect()),
            WebPart::Tags => entry.list("tags", tags(&it.item.tags)),
        };
        add_content(&mut entry, IN_FILES, false, &shown, &mut part);
        entry.into()
    }
}

fn step(it: &WebStep) -> Value {
    let mut entry = Entry::default();
    let shown = |described: &StepField| (described.field, (described.read)(it));
    let mut part = |part: &StepPart, entry: &mut Entry| match (part, &it.posts) {
        (StepPart::Posts, WebPosts::Raw(text)) => entry.filled(POSTS.name, text),
        (StepPart::Posts, WebPosts::Fields(fields)) => entry.list(POSTS.name, pairs(fields)),
    };
    add_content(&mut entry, STEP_IN_FILES, false, &shown, &mut part);
    entry.into()
}
