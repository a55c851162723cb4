//! Dashboards: the rules that their descriptions do not have.

pub(crate) mod dashboard;
pub(crate) mod templatedashboard;
pub(crate) mod widgets;
