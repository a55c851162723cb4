//! Programs by content, which hosts and layouts share.

use std::sync::Arc;

use lang::expression::{self, Program};
use lang::functions::{self, FunctionKind};
use model::content::{FunctionRef, ItemContent, PreprocStep, RecoveryMode, TriggerContent};
use model::map::Map;

use crate::macros::Expand;
use crate::steps::{ItemProgram, ResolvedStep};

/// Programs by content, so that hosts and layouts share them. Entries keep their content alive: its
/// address stays its own.
#[derive(Debug, Default)]
pub(in super::super) struct Cache {
    triggers: Map<usize, (Arc<TriggerContent>, TriggerPrograms)>,
    items: Map<usize, (Arc<ItemContent>, ByParameters)>,
}

/// Programs of one content by their resolved parameters.
type ByParameters = Map<Vec<ResolvedStep>, Arc<ItemProgram>>;

#[derive(Clone, Debug)]
pub(super) struct TriggerPrograms {
    pub(super) problem: Result<Arc<Program>, Arc<str>>,
    pub(super) recovery: Option<Result<Arc<Program>, Arc<str>>>,
    pub(super) is_timer: bool,
}

impl Cache {
    /// Forgets what no configuration uses any more.
    pub(in super::super) fn prune(&mut self) {
        self.triggers.retain(|_, (content, _)| 1 < Arc::strong_count(content));
        self.items.retain(|_, (content, _)| 1 < Arc::strong_count(content));
    }

    pub(super) fn trigger(&mut self, content: &Arc<TriggerContent>) -> TriggerPrograms {
        let key = Arc::as_ptr(content).addr();
        let compile = || (Arc::clone(content), compile_trigger(content));
        self.triggers.entry(key).or_insert_with(compile).1.clone()
    }

    pub(super) fn item(
        &mut self,
        content: &Arc<ItemContent>,
        macros: &Expand<'_>,
    ) -> Option<Arc<ItemProgram>> {
        if content.preprocessing.is_empty() {
            return None;
        }
        let texts = |it: &PreprocStep| {
            let written = macros.of_step(it);
            let (params, secrets) = macros.around_secrets(&written);
            let mut hidden = macros.hidden_in(&written);
            hidden.extend(macros.hidden_in(&it.error_handler_params));
            let on_fail = macros.text(&it.error_handler_params);
            ResolvedStep { params, secrets, on_fail, hidden }
        };
        let resolved: Vec<ResolvedStep> = content.preprocessing.iter().map(texts).collect();
        let key = Arc::as_ptr(content).addr();
        let entry = self.items.entry(key).or_insert_with(|| (Arc::clone(content), Map::default()));
        if let Some(known) = entry.1.get(&resolved) {
            return Some(Arc::clone(known));
        }
        let program = Arc::new(ItemProgram::compile(&content.preprocessing, &resolved));
        entry.1.insert(resolved, Arc::clone(&program));
        Some(program)
    }
}

fn compile_trigger(content: &TriggerContent) -> TriggerPrograms {
    let is_timed = |it: &FunctionRef| {
        // The result of a trend function changes at the end of its period, without a value.
        functions::is_timer(&it.function)
            || functions::find(&it.function).is_some_and(|it| it.kind == FunctionKind::Trend)
    };
    let mut is_timer = content.functions.iter().any(is_timed);
    let mut compile = |text: &str| -> Result<Arc<Program>, Arc<str>> {
        let stored =
            expression::parse_stored(text).map_err(|it| Arc::<str>::from(it.to_string()))?;
        is_timer |= stored.ast.uses_timer();
        let program = Program::compile(&stored.ast).map_err(|it| Arc::from(it.to_string()))?;
        Ok(Arc::new(program))
    };
    let problem = compile(&content.expression);
    let has_recovery = content.recovery_mode == RecoveryMode::RecoveryExpression;
    let recovery = has_recovery.then(|| compile(&content.recovery_expression));
    TriggerPrograms { problem, recovery, is_timer }
}
