//! Global correlation rules: how their filter is shown.

use alert::judging::{Formula, letter};
use db::objects::correlation::{FILTER, formula};
use model::document::{Body, Document};
use serde_json::{Value, json};

use crate::describe::{Field, Select};
use crate::json::{self, text};
use crate::objects::common::document::Special;
use crate::query::Output;
use crate::shared::Ctx;

pub(crate) const SPECIAL: Special = Special { select, ..Special::NOTHING };

fn select(_: &Ctx, row: &Document, select: &Select, output: &Output) -> Option<Value> {
    if select.property != "filter" {
        return None;
    }
    let filter = row.body.get("filter")?.as_object()?;
    let (eval_formula, letters) = formula_of(filter);
    let part = |field: &Field| match field.name {
        "eval_formula" => text(eval_formula.as_str()),
        "conditions" => {
            let conditions = json::list_of(filter, "conditions").zip(&letters);
            let lettered = conditions.map(|(it, letter)| {
                let mut it = it.clone();
                it.insert("formulaid".to_owned(), text(letter.as_str()));
                Value::Object(it)
            });
            lettered.collect()
        }
        name => filter.get(name).cloned().unwrap_or_else(|| json!("")),
    };
    let wanted = FILTER.iter().filter(|it| output.wants(it.name));
    Some(Value::Object(wanted.map(|it| (it.name.to_owned(), part(it))).collect()))
}

/// The formula that conditions are joined by, and the letters of each: those that users wrote, else by the
/// order in which the formula has them.
fn formula_of(filter: &Body) -> (String, Vec<String>) {
    let conditions: Vec<&Body> = json::list_of(filter, "conditions").collect();
    if json::str_of(filter, "evaltype") == "3" {
        let letters = conditions.iter().map(|it| json::str_of(it, "formulaid").to_owned());
        return (json::str_of(filter, "formula").to_owned(), letters.collect());
    }
    let mut letters = vec![String::new(); conditions.len()];
    let Some(formula) = formula(filter) else { return (String::new(), letters) };
    let mut n_named = 0;
    formula.each(&mut |at| {
        letters[*at] = letter(n_named);
        n_named += 1;
    });
    let named = formula.map(&|at: &usize| Ok::<_, std::convert::Infallible>(letters[*at].clone()));
    (named.map(|it: Formula<String>| it.to_string()).unwrap_or_default(), letters)
}
