//! Evaluation over an item's values.

use std::borrow::Cow;
use std::cmp::Ordering;

use model::{Time, ValueType};

use super::call::{Args, Call, Mode};
use super::context::FunctionContext;
use super::error::FunctionError;
use super::pattern::Matcher;
use super::period::Range;
use super::sample::{Sample, SampleValue, select};
use super::table::Run;
use super::{numeric, texts};
use crate::expression::Value;
use formats::number;

type Answer = Result<Value, FunctionError>;

impl Call {
    /// The function's value. `samples`: the known values of the item, oldest first, at least as far back as
    /// [`Call::needs`]; more do no harm.
    ///
    /// # Errors
    /// Why there is no value.
    pub fn eval(&self, samples: &[Sample<'_>], context: &FunctionContext<'_>) -> Answer {
        if !self.is_supported() {
            return Err(FunctionError::Unsupported);
        }
        let window = self.period.window(context.now, context.zone).ok_or(FunctionError::Shift)?;
        let known = select(samples, &window);
        let _turn = formats::regexp::MatchTurn::begin();
        if self.info.run == Run::Aggregate {
            return numeric::aggregate(self.info.name, known, context);
        }
        if self.info.run == Run::OfLog {
            return self.log_field(nth(known, window.range)?);
        }
        match self.info.name {
            "last" => nth(known, window.range).map(|it| value_of(it.value)),
            "lastclock" => nth(known, window.range).map(|it| clock(it.time)),
            "first" => {
                known.first().map(|it| value_of(it.value)).ok_or(FunctionError::NotEnoughData)
            }
            "firstclock" => {
                known.first().map(|it| clock(it.time)).ok_or(FunctionError::NotEnoughData)
            }
            "change" => change(known),
            "changecount" => self.change_count(known, context),
            "count" => self.count(known, context),
            "countunique" => self.count_unique(known, context),
            "find" => self.find(known, context),
            "nodata" => self.no_data(samples, context),
            "fuzzytime" => self.fuzzy_time(samples, context),
            "bitand" => self.bit_and(nth(known, window.range)?),
            "percentile" => self.percentile(known),
            "monoinc" | "monodec" => self.monotonic(known, context),
            "rate" => numeric::rate(known, &window),
            "forecast" | "timeleft" => match &self.args {
                Args::Prediction(it) if context.value_type.is_numeric() => {
                    it.eval(known, context.now)
                }
                _ => Err(FunctionError::ValueType),
            },
            _ => Err(FunctionError::Unsupported),
        }
    }

    /// Whether no value lies in the function's window.
    pub(super) fn is_empty(&self, samples: &[Sample<'_>], context: &FunctionContext<'_>) -> bool {
        let window = self.period.window(context.now, context.zone);
        window.is_none_or(|it| select(samples, &it).is_empty())
    }

    fn matcher(
        &self,
        context: &FunctionContext<'_>,
    ) -> Result<Option<Cow<'_, Matcher>>, FunctionError> {
        let Args::Match(matchers) = &self.args else { return Ok(None) };
        let matcher = match context.value_type {
            ValueType::Float => &matchers.float,
            ValueType::Unsigned => &matchers.whole,
            _ => &matchers.text,
        };
        if context.value_type == ValueType::Float
            && matcher.as_ref().is_ok_and(Matcher::counts_bits)
        {
            let why = "operator \"bitand\" is not supported for counting float values";
            return Err(FunctionError::Pattern(why.to_owned()));
        }
        let matcher = matcher.as_ref().map_err(|it| FunctionError::Pattern(it.clone()))?;
        Ok(Some(matcher.at_epsilon(context.epsilon)))
    }

    fn count(&self, known: &[Sample<'_>], context: &FunctionContext<'_>) -> Answer {
        let Some(matcher) = self.matcher(context)?.filter(|it| !it.is_any()) else {
            return Ok(Value::UInt(known.len() as u64));
        };
        let mut found = 0;
        for sample in known {
            found += u64::from(texts::is_match(&matcher, sample.value)?);
        }
        Ok(Value::UInt(found))
    }

    fn count_unique(&self, known: &[Sample<'_>], context: &FunctionContext<'_>) -> Answer {
        let matcher = self.matcher(context)?;
        let mut kept: Vec<SampleValue<'_>> = Vec::with_capacity(known.len());
        for sample in known {
            let is_match = match &matcher {
                Some(matcher) => texts::is_match(matcher, sample.value)?,
                None => true,
            };
            if is_match {
                kept.push(sample.value);
            }
        }
        Ok(Value::UInt(texts::n_unique(kept, context.epsilon)))
    }

    fn find(&self, known: &[Sample<'_>], context: &FunctionContext<'_>) -> Answer {
        let matcher = self.matcher(context)?;
        for sample in known {
            let is_match = match &matcher {
                Some(matcher) => texts::is_match(matcher, sample.value)?,
                None => true,
            };
            if is_match {
                return Ok(Value::UInt(1));
            }
        }
        Ok(Value::UInt(0))
    }

    fn change_count(&self, known: &[Sample<'_>], context: &FunctionContext<'_>) -> Answer {
        let Args::Mode(mode) = self.args else { return Err(FunctionError::Unsupported) };
        if known.len() < 2 {
            return Err(FunctionError::NotEnoughData);
        }
        let epsilon = context.epsilon;
        let changes = known.windows(2).filter(|pair| match (pair[0].value, pair[1].value) {
            (SampleValue::Unsigned(before), SampleValue::Unsigned(after)) => match mode {
                Mode::Inc => after > before,
                Mode::Dec => after < before,
                _ => after != before,
            },
            (before, after) => match (before.number(), after.number()) {
                (Some(before), Some(after)) => match mode {
                    Mode::Inc => after > before + epsilon,
                    Mode::Dec => after < before - epsilon,
                    _ => (after - before).abs() > epsilon,
                },
                // Texts have no direction: whatever the mode, a difference is a change.
                _ => before.text() != after.text(),
            },
        });
        Ok(Value::UInt(changes.count() as u64))
    }

    fn monotonic(&self, known: &[Sample<'_>], context: &FunctionContext<'_>) -> Answer {
        let Args::Mode(mode) = self.args else { return Err(FunctionError::Unsupported) };
        let numbers = numeric::numbers(known)?;
        if numbers.is_empty() {
            return Err(FunctionError::NotEnoughData);
        }
        let falls = self.info.name == "monodec";
        let is_strict = mode == Mode::Strict;
        let holds = known.windows(2).zip(numbers.windows(2)).all(|(samples, numbers)| {
            let order = match (samples[0].value, samples[1].value) {
                // In full: floating point numbers would round large ones.
                (SampleValue::Unsigned(before), SampleValue::Unsigned(after)) => after.cmp(&before),
                _ if (numbers[1] - numbers[0]).abs() <= context.epsilon => Ordering::Equal,
                _ => numbers[1].total_cmp(&numbers[0]),
            };
            let order = if falls { order.reverse() } else { order };
            if is_strict { order.is_gt() } else { order.is_ge() }
        });
        Ok(Value::UInt(u64::from(holds)))
    }

    fn no_data(&self, samples: &[Sample<'_>], context: &FunctionContext<'_>) -> Answer {
        let Range::Seconds(seconds) = self.period.range else {
            return Err(FunctionError::Unsupported);
        };
        let strict = matches!(self.args, Args::Mode(Mode::Strict));
        let seconds = if strict { seconds } else { seconds.saturating_add(context.late_s.max(0)) };
        let after = context.now.plus_secs(-seconds);
        // Values from the future count as data: the device is alive.
        if samples.last().is_some_and(|it| it.time > after) {
            return Ok(Value::UInt(0));
        }
        if context.data_since > after {
            return Err(FunctionError::TooEarly);
        }
        Ok(Value::UInt(1))
    }

    /// Whether the item's newest value, a time, differs from its timestamp by at most this number of seconds.
    fn fuzzy_time(&self, samples: &[Sample<'_>], context: &FunctionContext<'_>) -> Answer {
        let Args::Seconds(seconds) = self.args else { return Err(FunctionError::Unsupported) };
        if !context.value_type.is_numeric() {
            return Err(FunctionError::ValueType);
        }
        let last = samples.last().ok_or(FunctionError::NotEnoughData)?;
        let value = last.value.number().ok_or(FunctionError::ValueType)?;
        let distance = (value - number::i64_to_f64(last.time.clock())).abs();
        Ok(Value::UInt(u64::from(distance <= number::i64_to_f64(seconds))))
    }

    fn bit_and(&self, sample: &Sample<'_>) -> Answer {
        match (&self.args, sample.value) {
            (Args::Mask(mask), SampleValue::Unsigned(it)) => Ok(Value::UInt(it & mask)),
            _ => Err(FunctionError::ValueType),
        }
    }

    fn percentile(&self, known: &[Sample<'_>]) -> Answer {
        let Args::Percentage(percentage) = self.args else {
            return Err(FunctionError::Unsupported);
        };
        let mut numbers = numeric::numbers(known)?;
        super::stat::percentile(&mut numbers, percentage)
            .map(Value::Number)
            .ok_or(FunctionError::NotEnoughData)
    }

    fn log_field(&self, sample: &Sample<'_>) -> Answer {
        let SampleValue::Log(log) = sample.value else { return Err(FunctionError::ValueType) };
        let matches = |text: &str| match &self.args {
            Args::Regexp(Some(regexp)) => regexp
                .is_match(text)
                .map(|it| Value::UInt(u64::from(it)))
                .map_err(|it| FunctionError::Pattern(it.to_string())),
            _ => Ok(Value::UInt(1)),
        };
        match self.info.name {
            "logeventid" => matches(&log.logeventid.to_string()),
            "logsource" => matches(&log.source),
            "logseverity" => Ok(Value::Number(f64::from(log.severity))),
            _ => Ok(Value::Number(number::i64_to_f64(log.timestamp))),
        }
    }
}

/// The oldest of a window by count, if the window is full.
fn nth<'s, 'a>(known: &'s [Sample<'a>], range: Range) -> Result<&'s Sample<'a>, FunctionError> {
    let count = if let Range::Count(count) = range { count } else { 1 };
    known.len().checked_sub(count).and_then(|it| known.get(it)).ok_or(FunctionError::NotEnoughData)
}

fn value_of(value: SampleValue<'_>) -> Value {
    match value {
        SampleValue::Float(it) => Value::Number(it),
        SampleValue::Unsigned(it) => Value::UInt(it),
        SampleValue::Text(it) => Value::Text(it.to_owned()),
        SampleValue::Log(it) => Value::Text(it.value.clone()),
    }
}

fn clock(time: Time) -> Value {
    Value::Number(number::i64_to_f64(time.clock()))
}

fn change(known: &[Sample<'_>]) -> Answer {
    let [.., before, after] = known else { return Err(FunctionError::NotEnoughData) };
    Ok(match (before.value, after.value) {
        (SampleValue::Unsigned(before), SampleValue::Unsigned(after)) => {
            if after >= before {
                Value::UInt(after - before)
            } else {
                Value::Number(-number::u64_to_f64(before - after))
            }
        }
        (before, after) => match (before.number(), after.number()) {
            (Some(before), Some(after)) => Value::Number(after - before),
            _ => Value::UInt(u64::from(before.text() != after.text())),
        },
    })
}
