//! Functions over one item: which way each is answered.

use std::sync::Arc;

use lang::functions::{Call, FunctionKind, Needs};
use model::ValueType;
use model::content::{FunctionRef, GlobalRegexp};
use model::snapshot::Discovered;
use window::WindowFunction;

use super::compiler::{Compiler, to_u32};
use super::parameters::Parameters;
use crate::layout::{Bound, FunctionPlan, RefusedCall, Way};
use crate::spans::{count_aggregate, span_of};

impl<'a> Compiler<'a> {
    pub(super) fn function(
        &mut self,
        function: &FunctionRef,
        discovered: Option<&'a Discovered>,
    ) -> (Option<u32>, Bound) {
        let Some(position) = self.position(function.item, discovered) else {
            let why = format!("Cannot evaluate function {}(): item is missing", function.function);
            return (None, Bound::Unknown(why.into()));
        };
        let rest = function.parameter.strip_prefix('$').unwrap_or(&function.parameter);
        let written = rest.strip_prefix(',').unwrap_or(rest);
        if let Some(refused) = self.secret_in(written, discovered) {
            return (Some(position), refused);
        }
        let parameters = Parameters::new(&self.expand(discovered), written);
        (Some(position), self.call(position, &function.function, parameters))
    }

    /// One function over one item; equal ones exist once.
    pub(super) fn call(&mut self, position: u32, name: &str, parameters: Parameters) -> Bound {
        let key = (position, name.to_owned(), parameters);
        if let Some(known) = self.known_functions.get(&key) {
            return Bound::Function(*known);
        }
        let resolved = key.2.resolved.as_str();
        let call = match Call::parse_with(name, resolved, self.regexps(resolved)) {
            Ok(it) => it,
            Err(error) => {
                let why = error.to_string();
                let function = name.to_owned();
                let parameters = key.2.shown;
                let refused = RefusedCall { position, function, parameters, why };
                return Bound::Refused(Arc::new(refused));
            }
        };
        let way = self.way(position, &call, resolved, self.value_type(position));
        let at = to_u32(self.functions.len());
        let parameters = key.2.shown.as_str().into();
        self.functions.push(FunctionPlan { position, call, parameters, way });
        self.known_functions.insert(key, at);
        Bound::Function(at)
    }

    /// The regular expressions that patterns in parameters may name; records the dependency.
    pub(super) fn regexps(&mut self, parameters: &str) -> &'a [GlobalRegexp] {
        self.may_use_regexps |= parameters.contains('@');
        &self.snapshot.globals.regexps
    }

    fn way(&mut self, position: u32, call: &Call, parameters: &str, kind: ValueType) -> Way {
        if call.kind() == FunctionKind::Trend {
            self.n_trends += 1;
            return Way::Trend { cell: self.n_trends - 1 };
        }
        let is_shifted = !call.period().shift.steps().is_empty();
        let name = call.name();
        match call.needs() {
            _ if name == "nodata" && !is_shifted => return Way::NoData,
            Needs::Values(1) if name == "last" && !is_shifted => return Way::Nth(1),
            Needs::Values(2) if name == "last" && !is_shifted => return Way::Nth(2),
            Needs::Values(_) if name == "change" && !is_shifted => return Way::Change,
            Needs::Values(1 | 2) if !is_shifted => return Way::Latest,
            _ if name == "fuzzytime" => return Way::Latest,
            _ => {}
        }
        let aggregate = match name {
            "sum" => Some(WindowFunction::Sum),
            "avg" => Some(WindowFunction::Avg),
            "min" => Some(WindowFunction::Min),
            "max" => Some(WindowFunction::Max),
            "count" => count_aggregate(parameters, kind),
            _ => None,
        };
        match aggregate.filter(|it| kind.is_numeric() || *it == WindowFunction::Count(None)) {
            Some(aggregate) => {
                let shift = &call.period().shift;
                Way::Aggregate(self.aggregates.add(position, shift, aggregate, span_of(call)))
            }
            None => Way::Scan,
        }
    }

    fn value_type(&self, position: u32) -> ValueType {
        match self.rows.get(position as usize) {
            Some(row) => self.host.items[*row as usize].content.value_type,
            None => self.mirror(&self.mirrors[position as usize - self.rows.len()]).value_type,
        }
    }

    pub(super) fn names(&self, position: u32) -> (String, String) {
        match self.rows.get(position as usize) {
            Some(row) => {
                (self.host.host.to_string(), self.host.items[*row as usize].key().into_owned())
            }
            None => {
                let mirror = &self.mirrors[position as usize - self.rows.len()];
                (mirror.host_name.to_string(), mirror.key.to_string())
            }
        }
    }
}
