//! Formulas over items by host and key: those of calculated items, and those in event names.

use std::sync::Arc;

use lang::expression::{self, OperandRef, Program};
use lang::functions::{self, Foreach, FunctionKind};
use model::snapshot::{Discovered, ItemRow};

use super::compiler::{Compiler, mirror_of, to_u32};
use super::parameters::Parameters;
use crate::layout::{Bound, BoundFormula, Calculation};

impl<'a> Compiler<'a> {
    pub(super) fn calculation(&mut self, it: &'a ItemRow) -> Calculation {
        let expand = self.expand(it.discovered());
        let delay = expand.text(&it.content.delay);
        let secrets = [&it.content.params, &it.content.delay].map(|it| expand.hidden_in(it));
        Calculation {
            hidden: secrets.into_iter().flatten().collect(),
            formula: self.formula(&it.content.params, it.discovered(), None),
            delay: lang::interval::Interval::parse(&delay)
                .map_err(|error| error.to_string().into()),
        }
    }

    /// A formula over items by host and key. `items`: those of a trigger's functions, if it stands
    /// in the event name of one.
    pub(super) fn formula(
        &mut self,
        text: &str,
        discovered: Option<&'a Discovered>,
        items: Option<&[Option<u32>]>,
    ) -> Result<BoundFormula, Arc<str>> {
        let ast = expression::parse(text).map_err(|it| Arc::<str>::from(it.to_string()))?;
        let program =
            Program::compile_strict(&ast).map_err(|it| Arc::<str>::from(it.to_string()))?;
        let mut many = Vec::new();
        let mut operands = Vec::with_capacity(program.operands().len());
        for operand in program.operands() {
            let bound = match operand {
                OperandRef::HistoryCall(at) => {
                    let call = &ast.history_calls()[*at];
                    let args: Vec<&str> = ast.call_args(call).collect();
                    let query = ast.query(call);
                    let (name, args) = (ast.call_name(call), args.join(","));
                    let is_foreach =
                        functions::find(name).is_some_and(|it| it.kind == FunctionKind::Foreach);
                    match (query, items) {
                        (_, None) if is_foreach => {
                            self.many(discovered, query, (name, &args), &mut many)
                        }
                        (Some(query), Some(items)) if !is_foreach => {
                            let (host, key) = self.named(query, items);
                            self.formula_call(discovered, (&host, &key), name, &args)
                        }
                        _ => {
                            let (host, key) = query.map_or(("", ""), |it| (it.host, it.key));
                            self.formula_call(discovered, (host, key), name, &args)
                        }
                    }
                }
                other => self.constant(other, discovered),
            };
            operands.push(bound);
        }
        // Only functions over many items give what is counted by pattern when all is calculated.
        let names_regexps = !many.is_empty() && text.contains(['@', '{']);
        let regexps = if names_regexps { self.regexps("@") } else { &[] };
        Ok(BoundFormula {
            program: Arc::new(program),
            operands: operands.into(),
            many: many.into(),
            regexps: regexps.into(),
        })
    }

    /// A function over many items. Which ones is found out when it is asked.
    fn many(
        &mut self,
        discovered: Option<&'a Discovered>,
        query: Option<expression::ItemQuery<'_>>,
        (name, args): (&str, &str),
        many: &mut Vec<Arc<Foreach>>,
    ) -> Bound {
        if let Some(refused) = self.secret_in(args, discovered) {
            return refused;
        }
        let expand = self.expand(discovered);
        let written = query.unwrap_or(expression::ItemQuery { host: "", key: "", filter: "" });
        let host = self.macros.expand_row(written.host, expand.row);
        let (key, filter) = (expand.text(written.key), expand.text(written.filter));
        let is_own = host == "{HOST.HOST}" || host == *self.host.host;
        let host = if is_own { "" } else { host.as_str() };
        let query = expression::ItemQuery { host, key: &key, filter: &filter };
        let args = expand.text(args);
        match Foreach::parse_with(name, &query, &args, self.regexps(&args)) {
            Ok(function) => {
                many.push(Arc::new(function));
                Bound::Many(to_u32(many.len() - 1))
            }
            Err(error) => {
                let why = format!("Cannot evaluate function {name}(): {error}.");
                Bound::Unknown(why.into())
            }
        }
    }

    fn formula_call(
        &mut self,
        discovered: Option<&'a Discovered>,
        (host, key): (&str, &str),
        name: &str,
        args: &str,
    ) -> Bound {
        if let Some(refused) = self.secret_in(args, discovered) {
            return refused;
        }
        let row = discovered.map(|it| it.row.as_ref());
        // Keys are looked up as configured: discovery macros replaced, user macros not.
        let key = self.macros.expand_row(key, row);
        let host = self.macros.expand_row(host, row);
        let parameters = Parameters::new(&self.expand(discovered), args);
        let is_own = host.is_empty() || host == "{HOST.HOST}" || host == *self.host.host;
        let position = if is_own {
            self.position_of_key(&key)
        } else {
            self.named_hosts.insert(host.as_str().into());
            let found = self.snapshot.host_named(&host);
            let mirror = found.and_then(|other| {
                let row = other.item_by_key(&key).filter(|it| it.is_live())?;
                Some(mirror_of(other, row))
            });
            mirror.map(|it| self.mirror_position(it))
        };
        match position {
            Some(position) => self.call(position, name, parameters),
            None => Bound::Unknown(
                format!("Cannot evaluate expression: item \"/{host}/{key}\" does not exist").into(),
            ),
        }
    }
}
