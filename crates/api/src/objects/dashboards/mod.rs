//! Dashboards: the rules that their descriptions do not have.

pub(crate) mod dashboard;
pub(crate) mod templatedashboard;
mod visibility;
pub(crate) mod widgets;
