//! The work of a step: reported if it panics.

use directory::TriggerPlan;
use model::ItemId;

use super::hosts::Hosts;
use super::items::Items;

#[derive(Debug, Default)]
pub(super) struct Work {
    /// Whose value is at work.
    item: ItemId,
    /// Host and position of the trigger that was judged for it last.
    trigger: Option<(u32, u32)>,
}

impl Work {
    #[inline]
    pub(super) fn on(&mut self, item: ItemId) {
        self.item = item;
        self.trigger = None;
    }

    #[inline]
    pub(super) fn on_trigger(&mut self, host: u32, position: u32) {
        self.trigger = Some((host, position));
    }

    /// A trigger is judged that no value has come for: its first item counts.
    pub(super) fn on_trigger_of(
        &mut self,
        (items, hosts): (&Items, &Hosts),
        (host, position): (u32, u32),
    ) {
        let slot = hosts.get(host).and_then(|host| {
            let trigger = host.plan.layout.triggers.get(position as usize)?;
            items.get(host.plan.slots.get(*trigger.items.first()?)?)
        });
        self.on(slot.map(|it| it.item).unwrap_or_default());
    }

    pub(super) fn item(&self) -> ItemId {
        self.item
    }

    pub(super) fn trigger<'a>(&self, hosts: &'a Hosts) -> Option<&'a TriggerPlan> {
        let (host, position) = self.trigger?;
        hosts.trigger_plan(host, position)
    }
}
