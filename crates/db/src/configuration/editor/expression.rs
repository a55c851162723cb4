//! Expressions from users' text to the stored form.

use std::collections::BTreeSet;
use std::fmt;

use lang::ParseError;
use lang::expression::NodeKind;
use model::content::{FunctionRef, ItemFlags, RecoveryMode, TriggerContent};
use model::snapshot::{HolderKind, Snapshot};
use model::{HostId, ItemId, ValueType};

use crate::error::{ConfigError, edited};

/// The references of an expression.
#[derive(Debug)]
pub(super) struct Bound {
    pub(super) expression: String,
    pub(super) recovery_expression: String,
    pub(super) functions: Vec<FunctionRef>,
    /// Of the first function: the holder of the trigger.
    pub(super) holder: HostId,
    /// All holders of used items.
    pub(super) holders: BTreeSet<HostId>,
    /// The one rule of the item prototypes used; none for plain triggers.
    pub(super) rule: ItemId,
}

/// Parses both expressions and resolves hosts and keys. `wants_prototypes` is set for trigger
/// prototypes, which may use item prototypes of one rule and must use one.
pub(super) fn bind(
    snapshot: &Snapshot,
    content: &TriggerContent,
    wants_prototypes: bool,
) -> Result<Bound, ConfigError> {
    let mut functions = Vec::new();
    let expression =
        bind_one(snapshot, &content.expression, "expression", wants_prototypes, &mut functions)?;
    let recovery_expression = if content.recovery_mode == RecoveryMode::RecoveryExpression {
        let text = &content.recovery_expression;
        bind_one(snapshot, text, "recovery_expression", wants_prototypes, &mut functions)?
    } else {
        String::new()
    };
    let mut holders = BTreeSet::new();
    let mut rules = BTreeSet::new();
    let mut holder = HostId::NONE;
    for function in &functions {
        let Some((of, row)) = snapshot.item(function.item) else { continue };
        if holder.is_none() {
            holder = of.id;
        }
        holders.insert(of.id);
        if row.flags == ItemFlags::Prototype {
            rules.insert(rule_of(snapshot, of.id, row.content.ruleid));
        }
    }
    check_holders(snapshot, &holders)?;
    let name = &content.description;
    if wants_prototypes && rules.is_empty() {
        return Err(ConfigError::parameters(format_args!(
            "Trigger prototype \"{name}\" must contain at least one item prototype."
        )));
    }
    if rules.len() > 1 {
        return Err(ConfigError::parameters(format_args!(
            "Trigger prototype \"{name}\" contains item prototypes from multiple discovery rules."
        )));
    }
    let rule = rules.pop_first().unwrap_or_default();
    Ok(Bound { expression, recovery_expression, functions, holder, holders, rule })
}

/// A prototype's rule as its holder knows it.
fn rule_of(snapshot: &Snapshot, holder: HostId, reference: ItemId) -> ItemId {
    let holder = snapshot.holder(holder);
    let rule = holder.and_then(|it| snapshot.item_by_ref(it, reference));
    rule.map_or(reference, |(_, it)| it.id)
}

fn check_holders(snapshot: &Snapshot, holders: &BTreeSet<HostId>) -> Result<(), ConfigError> {
    let is_template =
        |it: &HostId| snapshot.holder(*it).is_some_and(|it| it.kind == HolderKind::Template);
    let n_templates = holders.iter().filter(|it| is_template(it)).count();
    if n_templates != 0 && n_templates != holders.len() {
        return Err(ConfigError::parameters(
            "Incorrect trigger expression. Trigger expression elements should not belong to a \
             template and a host simultaneously.",
        ));
    }
    Ok(())
}

fn bind_one(
    snapshot: &Snapshot,
    text: &str,
    field: &str,
    wants_prototypes: bool,
    functions: &mut Vec<FunctionRef>,
) -> Result<String, ConfigError> {
    let wrong = |what: &dyn fmt::Display| ConfigError::invalid(edited(field), what);
    let ast = lang::expression::parse(text).map_err(|error| wrong(&error))?;
    let lld = ast.nodes().iter().find(|it| it.kind == NodeKind::LldMacro);
    if let Some(it) = lld.filter(|_| !wants_prototypes) {
        return Err(wrong(&ParseError::syntax(text, it.range().start)));
    }
    let mut unknown_host = None;
    let mut resolve = |query: &lang::expression::ItemQuery<'_>| {
        let holder =
            snapshot.host_named(query.host).or_else(|| snapshot.template_named(query.host));
        let Some(holder) = holder else {
            unknown_host.get_or_insert_with(|| query.host.to_owned());
            return None;
        };
        let row = holder.item_by_key_where(query.key, |it| match it.flags {
            ItemFlags::Plain | ItemFlags::Discovered => true,
            ItemFlags::Prototype => wants_prototypes,
            ItemFlags::Rule | ItemFlags::RulePrototype | ItemFlags::DiscoveredRule => false,
        });
        row.map(|it| it.id)
    };
    let n_known = functions.len();
    let bound = lang::expression::bind(&ast, functions, &mut resolve);
    let bound = bound.map_err(|error| match (error, unknown_host) {
        (_, Some(host)) => ConfigError::parameters(format_args!(
            "Incorrect trigger expression. Host \"{host}\" does not exist or you have no access to \
             this host."
        )),
        (lang::expression::BindError::UnknownItem { host, key }, None) => {
            ConfigError::parameters(format_args!(
                "Incorrect item key \"{key}\" provided for trigger expression on \"{host}\"."
            ))
        }
        (error, None) => wrong(&error),
    })?;
    functions.iter().skip(n_known).try_for_each(|it| check_values(snapshot, it))?;
    Ok(bound)
}

/// Whether the function can use the values of its item.
fn check_values(snapshot: &Snapshot, function: &FunctionRef) -> Result<(), ConfigError> {
    let info = lang::functions::find(&function.function);
    let Some((info, (_, row))) = info.zip(snapshot.item(function.item)) else { return Ok(()) };
    let value_type = row.content.value_type;
    if lang::functions::takes(info, value_type) {
        return Ok(());
    }
    Err(ConfigError::parameters(format_args!(
        "Incorrect item value type \"{}\" provided for trigger function \"{}\".",
        type_name(value_type),
        function.function
    )))
}

fn type_name(value_type: ValueType) -> &'static str {
    match value_type {
        ValueType::Float => "Numeric (float)",
        ValueType::Unsigned => "Numeric (unsigned)",
        ValueType::Char => "Character",
        ValueType::Log => "Log",
        ValueType::Text => "Text",
        ValueType::Binary => "Binary",
    }
}
