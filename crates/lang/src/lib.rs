//! What users write: keys, macros, expressions, functions, intervals, periods, JSONPath.
