//! Dashboards: what their descriptions do not say.

pub(crate) mod dashboard;
pub(crate) mod templatedashboard;
pub(crate) mod widgets;
