//! The compiled form: instructions over numbered operands.
//!
//! A program is independent of hosts: history functions and macros are operands whose values the caller
//! supplies at evaluation, so that one program serves all hosts of a template.

use thiserror::Error;

use super::ast::{Ast, Node, NodeKind, Op};
use super::calls::{self, Builtin};
use super::operators::known;
use super::text::unquote_string;
use super::value::Value;
use formats::number;

/// Below this a whole number is the same as a float: no bit is lost, and it prints without exponent.
const FLOAT_PRINTS_BELOW: u64 = 1_000_000_000_000_000;

/// The source of an operand's value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OperandRef {
    /// `{N}` of a stored expression.
    Function(usize),
    /// A history call of an expression that was not stored: its position in [`Ast::history_calls`].
    HistoryCall(usize),
    /// A call of a function that is no built-in one (its text is kept for messages).
    Call {
        /// Name.
        name: String,
        /// Number of arguments written.
        n_args: u32,
    },
    /// `{$NAME}` as written.
    UserMacro(String),
    /// `{NAME}` or `{#NAME}` as written.
    Macro(String),
    /// A number with macros inside, as written: its value is the text with macros replaced.
    Compound(String),
}

/// Why an expression does not compile.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CompileError {
    /// A history call has arguments that are no constants.
    #[error("Cannot evaluate expression: arguments of function \"{0}\" must be constants")]
    ComputedArgument(String),
    /// `tag`, `group` or another operand without a value.
    #[error("Cannot evaluate expression: unexpected token \"{0}\"")]
    NoValue(String),
    /// More operands or constants than 65,536.
    #[error("Cannot evaluate expression: expression is too large")]
    TooLarge,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Inst {
    Number(f64),
    Const(u16),
    Operand(u16),
    Op(Op, u32),
    Call(&'static Builtin, u16, u32),
    Null,
}

/// An expression that compares an operand with a number or another operand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comparison {
    /// Position of the operand.
    pub left: usize,
    /// The operator; also an arithmetical one.
    pub op: Op,
    /// The other side of the comparison.
    pub right: Right,
}

/// The right side of a [`Comparison`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Right {
    /// A number as written.
    Number(f64),
    /// An operand, by position.
    Operand(usize),
}

impl Comparison {
    /// The result of [`Program::eval_truth`] for these numbers; `None` where that is an error.
    #[inline]
    #[must_use]
    pub fn is_true(op: Op, left: f64, right: f64) -> Option<bool> {
        known(op, left, right, number::EPSILON).map(|it| it.abs() > number::EPSILON)
    }
}

/// A compiled expression.
#[derive(Debug, Clone)]
pub struct Program {
    pub(super) insts: Box<[Inst]>,
    pub(super) consts: Box<[Value]>,
    pub(super) operands: Box<[OperandRef]>,
    pub(super) text: Box<str>,
    /// `operand op number`: by far the most frequent form.
    pub(super) threshold: Option<(u16, Op, f64)>,
    /// Deepest stack, if all instructions are operators over numbers and operands.
    pub(super) numeric_depth: Option<usize>,
    /// Errors of operands end the evaluation instead of being unknown.
    pub(super) strict: bool,
}

impl Program {
    /// Compiles a parsed expression.
    ///
    /// # Errors
    /// If something in it has no value.
    pub fn compile(ast: &Ast) -> Result<Self, CompileError> {
        let mut compiler = Compiler::default();
        for (idx, node) in ast.nodes().iter().enumerate() {
            compiler.node(ast, idx, node)?;
        }
        Ok(compiler.finish(ast))
    }

    /// As [`Program::compile`]; an operand without value then ends the evaluation even where
    /// `1 or unknown` would have had an answer.
    ///
    /// # Errors
    /// If something in it has no value.
    pub fn compile_strict(ast: &Ast) -> Result<Self, CompileError> {
        let mut program = Self::compile(ast)?;
        program.strict = true;
        program.threshold = None;
        program.numeric_depth = None;
        Ok(program)
    }

    /// The operands that the caller must supply, by position.
    #[must_use]
    pub fn operands(&self) -> &[OperandRef] {
        &self.operands
    }

    /// The program as a single comparison, if it is one.
    #[must_use]
    pub fn comparison(&self) -> Option<Comparison> {
        let (left, op, right) = match self.insts[..] {
            [Inst::Operand(left), Inst::Number(right), Inst::Op(op, _)] => {
                (left, op, Right::Number(right))
            }
            [Inst::Operand(left), Inst::Operand(right), Inst::Op(op, _)] => {
                (left, op, Right::Operand(right.into()))
            }
            _ => return None,
        };
        let is_usual = !self.strict && !op.is_unary();
        is_usual.then_some(Comparison { left: left.into(), op, right })
    }

    /// The expression that was compiled.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Heap bytes, for memory accounting.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        size_of_val(&*self.insts)
            + size_of_val(&*self.consts)
            + size_of_val(&*self.operands)
            + self.text.len()
    }
}

#[derive(Default)]
struct Compiler {
    insts: Vec<Inst>,
    consts: Vec<Value>,
    operands: Vec<OperandRef>,
    n_history_calls: usize,
}

impl Compiler {
    fn node(&mut self, ast: &Ast, idx: usize, node: &Node) -> Result<(), CompileError> {
        let text = ast.node_text(node);
        let inst = match node.kind {
            NodeKind::Number => self.number(text)?,
            NodeKind::String => self.constant(Value::Text(unquote_string(text)))?,
            NodeKind::UserMacro => self.operand(OperandRef::UserMacro(text.to_owned()))?,
            NodeKind::LldMacro | NodeKind::Macro => {
                self.operand(OperandRef::Macro(text.to_owned()))?
            }
            NodeKind::FunctionId => {
                let position = text.trim_matches(['{', '}']).parse().unwrap_or(usize::MAX);
                self.operand(OperandRef::Function(position))?
            }
            NodeKind::Query | NodeKind::Period | NodeKind::Null => Inst::Null,
            NodeKind::Op(op) => Inst::Op(op, node.start),
            NodeKind::Call => return self.call(text, node),
            NodeKind::HistoryCall => {
                self.drop_args(text, node.n_args)?;
                let position = self.n_history_calls;
                self.n_history_calls += 1;
                debug_assert_eq!(ast.history_calls().get(position).map(|it| it.node), Some(idx));
                self.operand(OperandRef::HistoryCall(position))?
            }
            NodeKind::Tag | NodeKind::Group => return Err(CompileError::NoValue(text.to_owned())),
        };
        self.insts.push(inst);
        Ok(())
    }

    /// Large whole numbers stay exact: functions over bits and texts see each digit.
    fn number(&mut self, text: &str) -> Result<Inst, CompileError> {
        match (number::parse_u64(text), number::parse_suffixed(text)) {
            (Some(whole), _) if whole >= FLOAT_PRINTS_BELOW => self.constant(Value::UInt(whole)),
            (_, Some(number)) => Ok(Inst::Number(number)),
            _ => self.operand(OperandRef::Compound(text.to_owned())),
        }
    }

    fn call(&mut self, name: &str, node: &Node) -> Result<(), CompileError> {
        let n_args = u16::try_from(node.n_args).map_err(|_large| CompileError::TooLarge)?;
        let inst = if let Some(builtin) = calls::find(name) {
            Inst::Call(builtin, n_args, node.start)
        } else {
            self.drop_args(name, node.n_args)?;
            self.operand(OperandRef::Call { name: name.to_owned(), n_args: node.n_args })?
        };
        self.insts.push(inst);
        Ok(())
    }

    /// Arguments of functions that the caller evaluates are constants: one instruction each.
    fn drop_args(&mut self, name: &str, n_args: u32) -> Result<(), CompileError> {
        for _ in 0..n_args {
            if matches!(self.insts.pop(), None | Some(Inst::Op(..) | Inst::Call(..))) {
                return Err(CompileError::ComputedArgument(name.to_owned()));
            }
        }
        Ok(())
    }

    fn constant(&mut self, value: Value) -> Result<Inst, CompileError> {
        let idx = u16::try_from(self.consts.len()).map_err(|_large| CompileError::TooLarge)?;
        self.consts.push(value);
        Ok(Inst::Const(idx))
    }

    fn operand(&mut self, operand: OperandRef) -> Result<Inst, CompileError> {
        let known = self.operands.iter().position(|it| *it == operand);
        let idx = known.unwrap_or(self.operands.len());
        let inst = Inst::Operand(u16::try_from(idx).map_err(|_large| CompileError::TooLarge)?);
        if known.is_none() {
            self.operands.push(operand);
        }
        Ok(inst)
    }

    fn finish(self, ast: &Ast) -> Program {
        let threshold = match self.insts[..] {
            [Inst::Operand(idx), Inst::Number(number), Inst::Op(op, _)] if !op.is_unary() => {
                Some((idx, op, number))
            }
            _ => None,
        };
        Program {
            numeric_depth: numeric_depth(&self.insts),
            threshold,
            insts: self.insts.into(),
            consts: self.consts.into(),
            operands: self.operands.into(),
            text: ast.text().into(),
            strict: false,
        }
    }
}

fn numeric_depth(insts: &[Inst]) -> Option<usize> {
    let mut depth = 0_usize;
    let mut deepest = 0;
    for inst in insts {
        match inst {
            Inst::Number(_) | Inst::Operand(_) => depth += 1,
            Inst::Op(op, _) if !op.is_unary() => depth = depth.checked_sub(1)?,
            Inst::Op(..) => {}
            Inst::Const(_) | Inst::Call(..) | Inst::Null => return None,
        }
        deepest = deepest.max(depth);
    }
    Some(deepest)
}
