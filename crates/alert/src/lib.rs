//! Problem to action to operation to message.
