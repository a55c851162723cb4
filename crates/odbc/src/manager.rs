//! The functions of the driver manager, and their handles.
//!
//! Owner: this crate. Unsafe are calls of functions of C with handles and buffers; each handle is
//! made by the function for its kind, freed once by [`Handle`], and lives in the thread that made
//! it. Buffers are lent with their length for the time of one call.

use std::ffi::{CStr, CString, c_char, c_void};
use std::marker::PhantomData;
use std::mem::transmute_copy;
use std::ptr::{null, null_mut};
use std::sync::OnceLock;

use crate::question::{Question, RESULT_BYTES_MAX, Seen, too_long};

/// The library of unixODBC's driver manager, then that of iODBC.
const LIBRARIES: [&CStr; 3] = [c"libodbc.so.2", c"libodbc.so.1", c"libiodbc.so.2"];

type RawHandle = *mut c_void;
type Small = i16;
type Return = i16;

const SUCCESS: Return = 0;
const SUCCESS_WITH_INFO: Return = 1;
const STILL_EXECUTING: Return = 2;
const NEED_DATA: Return = 99;
const NO_DATA: Return = 100;
const ERROR: Return = -1;
const INVALID_HANDLE: Return = -2;

const ENVIRONMENT: Small = 1;
const CONNECTION: Small = 2;
const STATEMENT: Small = 3;

const ATTR_ODBC_VERSION: i32 = 200;
const ODBC_3: usize = 3;
const ATTR_LOGIN_TIMEOUT: i32 = 103;
const ATTR_QUERY_TIMEOUT: i32 = 0;
const NO_PROMPT: u16 = 0;
/// Texts end with a zero byte.
const ENDS_WITH_ZERO: Small = -3;
const DESC_LABEL: u16 = 18;
const C_CHAR: Small = 1;
const NULL_DATA: isize = -1;

/// Bytes of a column that are fetched at once.
const PART_BYTES: usize = 16 << 10;
const NAME_BYTES_MAX: usize = 2 << 10;
const MESSAGE_BYTES_MAX: usize = 1 << 10;
/// Messages of one error. Further ones are left out.
const MESSAGES_MAX: Small = 16;

/// Declares the functions, and loads them from the library by their names.
macro_rules! functions {
    ($($name:ident: fn($($arg:ty),*);)*) => {
        #[expect(non_snake_case, reason = "the names that ODBC gives them")]
        pub(crate) struct DriverManager {
            $($name: unsafe extern "C" fn($($arg),*) -> Return,)*
        }

        impl DriverManager {
            /// `None`: the library lacks one of them.
            fn read(library: *mut c_void) -> Option<Self> {
                Some(Self { $($name: {
                    let name = CString::new(stringify!($name)).ok()?;
                    // SAFETY: the library was opened, and is never closed.
                    let found = unsafe { libc::dlsym(library, name.as_ptr()) };
                    if found.is_null() {
                        return None;
                    }
                    // SAFETY: a pointer is as large as a function's, and the function of this name
                    // in ODBC has these arguments.
                    unsafe {
                        transmute_copy::<*mut c_void, unsafe extern "C" fn($($arg),*) -> Return>(&found)
                    }
                },)* })
            }
        }
    };
}

functions! {
    SQLAllocHandle: fn(Small, RawHandle, *mut RawHandle);
    SQLFreeHandle: fn(Small, RawHandle);
    SQLSetEnvAttr: fn(RawHandle, i32, *mut c_void, i32);
    SQLSetConnectAttr: fn(RawHandle, i32, *mut c_void, i32);
    SQLSetStmtAttr: fn(RawHandle, i32, *mut c_void, i32);
    SQLConnect: fn(RawHandle, *const c_char, Small, *const c_char, Small, *const c_char, Small);
    SQLDriverConnect: fn(
        RawHandle, *mut c_void, *const c_char, Small, *mut c_char, Small, *mut Small, u16
    );
    SQLDisconnect: fn(RawHandle);
    SQLExecDirect: fn(RawHandle, *const c_char, i32);
    SQLNumResultCols: fn(RawHandle, *mut Small);
    SQLColAttribute: fn(RawHandle, u16, u16, *mut c_void, Small, *mut Small, *mut isize);
    SQLFetch: fn(RawHandle);
    SQLGetData: fn(RawHandle, u16, Small, *mut c_void, isize, *mut isize);
    SQLGetDiagRec: fn(Small, RawHandle, Small, *mut c_char, *mut i32, *mut c_char, Small, *mut Small);
}

impl DriverManager {
    /// The driver manager of this machine, loaded once.
    pub(crate) fn get() -> Result<&'static Self, String> {
        static LOADED: OnceLock<Option<DriverManager>> = OnceLock::new();
        let loaded = LOADED.get_or_init(|| {
            // SAFETY: the argument ends with a zero byte. Drivers convert texts as the environment says.
            unsafe { libc::setlocale(libc::LC_CTYPE, c"".as_ptr()) };
            let open = |name: &&CStr| {
                // SAFETY: the name ends with a zero byte; the operator chooses the library and so
                // the code that runs when it is loaded.
                let library = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW) };
                if library.is_null() { None } else { Self::read(library) }
            };
            LIBRARIES.iter().find_map(open)
        });
        loaded.as_ref().ok_or_else(|| {
            "ODBC is not available: this machine has no driver manager (Debian: package unixodbc)."
                .to_owned()
        })
    }
}

/// A handle, freed when it is dropped.
struct Handle {
    manager: &'static DriverManager,
    kind: Small,
    raw: RawHandle,
}

impl Handle {
    fn make(
        manager: &'static DriverManager,
        kind: Small,
        of: Option<&Handle>,
    ) -> Result<Self, String> {
        let mut raw = null_mut();
        let parent = of.map_or(null_mut(), |it| it.raw);
        // SAFETY: the parent lives, and is of the kind above.
        let made = unsafe { (manager.SQLAllocHandle)(kind, parent, &raw mut raw) };
        match of {
            Some(of) => of.check(made)?,
            None if is_good(made) => {}
            None => return Err(named(made)),
        }
        Ok(Self { manager, kind, raw })
    }

    fn check(&self, returned: Return) -> Result<(), String> {
        if is_good(returned) { Ok(()) } else { Err(self.diagnosis(returned)) }
    }

    /// The errors of a call: `[SQL_ERROR]:[state][code][message]|[state]…`.
    fn diagnosis(&self, returned: Return) -> String {
        let mut text = named(returned);
        if returned != ERROR {
            return text;
        }
        for number in 1..=MESSAGES_MAX {
            let (mut state, mut code) = ([0_u8; 6], 0);
            let (mut message, mut len) = (vec![0_u8; MESSAGE_BYTES_MAX], 0);
            let message_max = Small::try_from(message.len()).unwrap_or(Small::MAX);
            // SAFETY: the handle lives; a state has five letters and a zero byte; the message is cut to
            // its buffer.
            let got = unsafe {
                (self.manager.SQLGetDiagRec)(
                    self.kind,
                    self.raw,
                    number,
                    state.as_mut_ptr().cast(),
                    &raw mut code,
                    message.as_mut_ptr().cast(),
                    message_max,
                    &raw mut len,
                )
            };
            if !is_good(got) {
                break;
            }
            let separator = if number == 1 { ':' } else { '|' };
            text.push(separator);
            let (state, message) = (until_zero(&state), until_zero(&message));
            text.push_str(&format!("[{state}][{code}][{message}]"));
        }
        text
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: it was made by its own function, and is freed only here.
        unsafe { (self.manager.SQLFreeHandle)(self.kind, self.raw) };
    }
}

fn is_good(returned: Return) -> bool {
    matches!(returned, SUCCESS | SUCCESS_WITH_INFO)
}

fn named(returned: Return) -> String {
    match returned {
        ERROR => "[SQL_ERROR]".to_owned(),
        NO_DATA => "[SQL_NO_DATA]".to_owned(),
        INVALID_HANDLE => "[SQL_INVALID_HANDLE]".to_owned(),
        STILL_EXECUTING => "[SQL_STILL_EXECUTING]".to_owned(),
        NEED_DATA => "[SQL_NEED_DATA]".to_owned(),
        other => format!("[{other} (unknown SQLRETURN code)]"),
    }
}

fn until_zero(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|it| *it == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(bytes.get(..end).unwrap_or_default()).into_owned()
}

fn to_c(text: &str) -> Result<CString, String> {
    CString::new(text).map_err(|_zero| "A text for the database has a zero byte.".to_owned())
}

/// A connection to a database, closed when it is dropped.
pub(crate) struct Connection {
    handle: Handle,
    /// Declared after the handle: freed after it.
    _environment: Handle,
}

impl Connection {
    pub(crate) fn open(
        manager: &'static DriverManager,
        question: &Question,
    ) -> Result<Self, String> {
        let environment = Handle::make(manager, ENVIRONMENT, None)
            .map_err(|_why| "Cannot create ODBC environment handle.".to_owned())?;
        // SAFETY: the handle lives; the value of this attribute is a number, not a place.
        let set = unsafe {
            let version = null_mut::<c_void>().wrapping_byte_add(ODBC_3);
            (manager.SQLSetEnvAttr)(environment.raw, ATTR_ODBC_VERSION, version, 0)
        };
        environment.check(set).map_err(|it| format!("Cannot set ODBC version: {it}"))?;
        let handle = Handle::make(manager, CONNECTION, Some(&environment))
            .map_err(|it| format!("Cannot create ODBC connection handle: {it}"))?;
        // SAFETY: as above.
        let set = unsafe {
            let time = number(question.timeout_s);
            (manager.SQLSetConnectAttr)(handle.raw, ATTR_LOGIN_TIMEOUT, time, 0)
        };
        handle.check(set).map_err(|it| format!("Cannot set ODBC login timeout: {it}"))?;
        let failed = |it: String| format!("Cannot connect to ODBC DSN: {it}");
        let connected = if question.connection.is_empty() {
            let dsn = to_c(&question.dsn)?;
            let text = |it: &str| (!it.is_empty()).then(|| to_c(it)).transpose();
            let (user, password) = (text(&question.user)?, text(&question.password)?);
            let place = |it: &Option<CString>| it.as_ref().map_or(null(), |it| it.as_ptr());
            // SAFETY: the handle lives, and so do the texts, each with a zero byte at its end; an
            // absent one is null.
            unsafe {
                (manager.SQLConnect)(
                    handle.raw,
                    dsn.as_ptr(),
                    ENDS_WITH_ZERO,
                    place(&user),
                    ENDS_WITH_ZERO,
                    place(&password),
                    ENDS_WITH_ZERO,
                )
            }
        } else {
            let text = to_c(&question.connection)?;
            // SAFETY: as above; there is no buffer for the whole string, and no window for a
            // dialog.
            unsafe {
                (manager.SQLDriverConnect)(
                    handle.raw,
                    null_mut(),
                    text.as_ptr(),
                    ENDS_WITH_ZERO,
                    null_mut(),
                    0,
                    null_mut(),
                    NO_PROMPT,
                )
            }
        };
        handle.check(connected).map_err(failed)?;
        Ok(Self { handle, _environment: environment })
    }

    pub(crate) fn query(&self, query: &str, timeout_s: u32) -> Result<Rows<'_>, String> {
        let manager = self.handle.manager;
        let query = to_c(query)?;
        let statement = Handle::make(manager, STATEMENT, Some(&self.handle))
            .map_err(|it| format!("Cannot create ODBC statement handle: {it}"))?;
        // SAFETY: the handle lives; the value is a number. Drivers that cannot do it say so.
        unsafe {
            (manager.SQLSetStmtAttr)(statement.raw, ATTR_QUERY_TIMEOUT, number(timeout_s), 0);
        }
        // SAFETY: the handle lives, and the text ends with a zero byte.
        let done = unsafe {
            (manager.SQLExecDirect)(statement.raw, query.as_ptr(), ENDS_WITH_ZERO.into())
        };
        // No row was changed, which is no error.
        if done != NO_DATA {
            statement.check(done).map_err(|it| format!("Cannot execute ODBC query: {it}"))?;
        }
        let mut n_columns = 0;
        // SAFETY: the handle lives, and so does the number.
        let counted = unsafe { (manager.SQLNumResultCols)(statement.raw, &raw mut n_columns) };
        statement
            .check(counted)
            .map_err(|it| format!("Cannot get number of columns in ODBC result: {it}"))?;
        let n_columns = u16::try_from(n_columns).unwrap_or(0);
        Ok(Rows { statement, n_columns, seen: None, _of: PhantomData })
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // SAFETY: the handle lives; statements borrow the connection and are freed before.
        unsafe { (self.handle.manager.SQLDisconnect)(self.handle.raw) };
    }
}

fn number(value: u32) -> *mut c_void {
    null_mut::<c_void>().wrapping_byte_add(usize::try_from(value).unwrap_or(0))
}

/// The result of a query, row by row.
pub(crate) struct Rows<'a> {
    statement: Handle,
    /// Columns are counted from 1.
    pub(crate) n_columns: u16,
    /// If the caller wants to see them.
    seen: Option<Box<Seen>>,
    _of: PhantomData<&'a Connection>,
}

impl Rows<'_> {
    /// Goes to the next row; `false`: there is none.
    pub(crate) fn next(&mut self) -> Result<bool, String> {
        if self.n_columns == 0 {
            return Ok(false);
        }
        // SAFETY: the handle lives.
        match unsafe { (self.statement.manager.SQLFetch)(self.statement.raw) } {
            NO_DATA => return Ok(false),
            fetched => {
                let failed = |it| format!("Cannot fetch row: {it}");
                self.statement.check(fetched).map_err(failed)?;
            }
        }
        if let Some(seen) = &mut self.seen {
            seen.begin_row();
        }
        Ok(true)
    }

    /// From now on the rows to be shown are kept.
    pub(crate) fn show(&mut self) {
        let mut seen = Seen { n_columns: self.n_columns, ..Seen::default() };
        let shown = 1..=seen.n_columns_shown();
        seen.columns = shown.map(|it| self.name(it).unwrap_or_default()).collect();
        self.seen = Some(Box::new(seen));
    }

    pub(crate) fn seen(&mut self) -> &mut Seen {
        self.seen.get_or_insert_default()
    }

    pub(crate) fn take_seen(&mut self) -> Seen {
        self.seen.take().map(|it| *it).unwrap_or_default()
    }

    /// A column of the row; `None`: it has no value. Trailing blanks are removed.
    pub(crate) fn column(&mut self, at: u16, bytes_max: usize) -> Result<Option<String>, String> {
        let value = self.fetch(at, bytes_max)?;
        if let Some(seen) = &mut self.seen {
            seen.value(value.as_deref());
        }
        Ok(value)
    }

    fn fetch(&mut self, at: u16, bytes_max: usize) -> Result<Option<String>, String> {
        let mut bytes = Vec::new();
        let mut part = vec![0_u8; PART_BYTES];
        loop {
            let mut len = 0_isize;
            let part_len = isize::try_from(part.len()).unwrap_or(isize::MAX);
            part[0] = 0;
            // SAFETY: the handle lives; a text is cut to the buffer, and ends with a zero byte there.
            let got = unsafe {
                (self.statement.manager.SQLGetData)(
                    self.statement.raw,
                    at,
                    C_CHAR,
                    part.as_mut_ptr().cast(),
                    part_len,
                    &raw mut len,
                )
            };
            if got == NO_DATA {
                break;
            }
            self.statement.check(got).map_err(|it| format!("Cannot get column data: {it}"))?;
            // Some drivers write only 32 bits of it.
            if len == NULL_DATA || i32::try_from(len & 0xffff_ffff) == Ok(-1) || len == 0xffff_ffff
            {
                return Ok(None);
            }
            let end = part.iter().position(|it| *it == 0).unwrap_or(part.len());
            bytes.extend_from_slice(part.get(..end).unwrap_or_default());
            if bytes_max.min(RESULT_BYTES_MAX) < bytes.len() {
                return Err(too_long());
            }
            if got == SUCCESS || end == 0 {
                break;
            }
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Ok(Some(text.trim_end_matches(' ').to_owned()))
    }

    /// The name of a column.
    pub(crate) fn name(&self, at: u16) -> Result<String, String> {
        let failed = || format!("Cannot obtain column #{at} name.");
        let (mut name, mut len) = (vec![0_u8; NAME_BYTES_MAX], 0);
        let name_max = Small::try_from(name.len()).unwrap_or(Small::MAX);
        // SAFETY: the handle lives, and the name is cut to its buffer.
        let got = unsafe {
            (self.statement.manager.SQLColAttribute)(
                self.statement.raw,
                at,
                DESC_LABEL,
                name.as_mut_ptr().cast(),
                name_max,
                &raw mut len,
                null_mut(),
            )
        };
        let name = until_zero(&name);
        if got == SUCCESS && len < name_max && !name.is_empty() { Ok(name) } else { Err(failed()) }
    }
}
