//! The functions of the library, and what they work with.
//!
//! Owner: this crate. The unsafe part is calling C functions with pointers: names and contexts are
//! made by the functions that make such, and released once by their owners here; buffers of ours
//! are lent for the time of one call, those of the library are copied and released by it. The
//! library itself is never closed.

use std::ffi::{CStr, c_int, c_void};
use std::mem::transmute_copy;
use std::ptr::{null_mut, slice_from_raw_parts};
use std::sync::OnceLock;

use super::Error;

const NAME: &CStr = c"libgssapi_krb5.so.2";

type Status = u32;

const CONTINUE_NEEDED: Status = 1;
/// Where a status has its errors.
const ERRORS: Status = 0xffff_0000;
const NO_CREDENTIALS: Status = 7 << 16;

/// The server authenticates itself as well, and a token cannot be replayed.
const FLAGS: u32 = MUTUAL | REPLAY;
const MUTUAL: u32 = 2;
const REPLAY: u32 = 4;

const OF_GSSAPI: c_int = 1;
const OF_MECHANISM: c_int = 2;
/// The most lines of an error that are read.
const LINES_MAX: usize = 4;
const TOKEN_BYTES_MAX: usize = 1 << 20;

#[repr(C)]
struct Buffer {
    len: usize,
    value: *mut c_void,
}

#[repr(C)]
struct Oid {
    len: u32,
    elements: *const c_void,
}

/// The bytes of identifiers of objects, in DER.
const HOST_BASED_SERVICE: &[u8] = b"\x2a\x86\x48\x86\xf7\x12\x01\x02\x01\x04";
const SPNEGO: &[u8] = b"\x2b\x06\x01\x05\x05\x02";
const KERBEROS: &[u8] = b"\x2a\x86\x48\x86\xf7\x12\x01\x02\x02";

impl Oid {
    fn of(bytes: &'static [u8]) -> Self {
        Self { len: u32::try_from(bytes.len()).unwrap_or(0), elements: bytes.as_ptr().cast() }
    }
}

impl Buffer {
    const EMPTY: Self = Self { len: 0, value: null_mut() };

    /// Lent: the library does not write to what it is given.
    fn of(bytes: &[u8]) -> Self {
        Self { len: bytes.len(), value: bytes.as_ptr().cast_mut().cast() }
    }
}

/// Declares the functions, and reads them out of the library by their names.
macro_rules! functions {
    ($($name:ident: fn($($arg:ty),*);)*) => {
        struct Library {
            $($name: unsafe extern "C" fn($($arg),*) -> Status,)*
        }

        impl Library {
            fn read(library: *mut c_void) -> Result<Self, Error> {
                Ok(Self { $($name: {
                    let name = concat!(stringify!($name), "\0");
                    // SAFETY: the library was opened, and is never closed; the name ends with a zero byte.
                    let found = unsafe { libc::dlsym(library, name.as_ptr().cast()) };
                    if found.is_null() {
                        return Err(Error::Lacks(stringify!($name)));
                    }
                    // SAFETY: a pointer is as large as a function's, and RFC 2744 gives the function of this
                    // name these arguments.
                    unsafe {
                        transmute_copy::<*mut c_void, unsafe extern "C" fn($($arg),*) -> Status>(&found)
                    }
                },)* })
            }
        }
    };
}

functions! {
    gss_import_name: fn(*mut Status, *mut Buffer, *mut Oid, *mut *mut c_void);
    gss_release_name: fn(*mut Status, *mut *mut c_void);
    gss_init_sec_context: fn(
        *mut Status, *mut c_void, *mut *mut c_void, *mut c_void, *mut Oid, u32, u32, *mut c_void, *mut Buffer,
        *mut *mut Oid, *mut Buffer, *mut u32, *mut u32
    );
    gss_delete_sec_context: fn(*mut Status, *mut *mut c_void, *mut Buffer);
    gss_release_buffer: fn(*mut Status, *mut Buffer);
    gss_display_status: fn(*mut Status, Status, c_int, *mut Oid, *mut u32, *mut Buffer);
}

impl Library {
    /// That of this machine, loaded once. One that was not there is looked for again: it may have been installed since.
    fn get() -> Result<&'static Self, Error> {
        static LOADED: OnceLock<Library> = OnceLock::new();
        if let Some(loaded) = LOADED.get() {
            return Ok(loaded);
        }
        let library = Self::open(NAME)?;
        Ok(LOADED.get_or_init(|| library))
    }

    fn open(name: &CStr) -> Result<Self, Error> {
        // SAFETY: the name ends with a zero byte; the operator is responsible for what the library
        // does when it is loaded.
        let library = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW) };
        if library.is_null() { Err(why_not(name)) } else { Self::read(library) }
    }

    /// Copies what the library has made, and gives it back.
    fn take(&self, mut made: Buffer) -> Vec<u8> {
        let bytes = if made.value.is_null() {
            Vec::new()
        } else {
            let len = made.len.min(TOKEN_BYTES_MAX);
            let place = slice_from_raw_parts(made.value.cast::<u8>().cast_const(), len);
            // SAFETY: the library says that so many bytes are there, and they stay until they are released below.
            unsafe { &*place }.to_vec()
        };
        let mut minor = 0;
        // SAFETY: the buffer is the library's own, and released here only. An empty one is left as it is.
        unsafe { (self.gss_release_buffer)(&raw mut minor, &raw mut made) };
        bytes
    }

    /// The text of a status, for people. Has to be asked by the thread that got it.
    fn describe(&self, status: Status, kind: c_int, mechanism: &'static [u8]) -> String {
        let (mut lines, mut place) = (Vec::new(), 0);
        for _ in 0..LINES_MAX {
            let (mut minor, mut text, mut oid) = (0, Buffer::EMPTY, Oid::of(mechanism));
            // SAFETY: all of these live until the call returns.
            let got = unsafe {
                (self.gss_display_status)(
                    &raw mut minor,
                    status,
                    kind,
                    &raw mut oid,
                    &raw mut place,
                    &raw mut text,
                )
            };
            if got & ERRORS != 0 {
                break;
            }
            lines.push(String::from_utf8_lossy(&self.take(text)).trim().to_owned());
            if place == 0 {
                break;
            }
        }
        lines.retain(|it| !it.is_empty());
        lines.join("; ")
    }

    fn refused(&self, (major, minor): (Status, Status), mechanism: &'static [u8]) -> Error {
        let general = self.describe(major, OF_GSSAPI, mechanism);
        let special =
            if minor == 0 { String::new() } else { self.describe(minor, OF_MECHANISM, mechanism) };
        // The text of the mechanism has more detail: "Unspecified GSS failure. Minor code may
        // provide more information".
        Error::Refused(if special.is_empty() { general } else { special })
    }
}

/// Why the library was not opened: the linker reports it to the thread that tried.
fn why_not(name: &CStr) -> Error {
    // SAFETY: it takes nothing, and gives null or a text.
    let text = unsafe { libc::dlerror() };
    if text.is_null() {
        return Error::NotInstalled;
    }
    // SAFETY: the text ends with a zero byte, and stays until this thread asks the linker again.
    let text = unsafe { CStr::from_ptr(text) }.to_string_lossy();
    let name = name.to_string_lossy();
    // Where a library is missing that it needs, that one's name comes first.
    let is_missing = text.starts_with(&*name) && text.contains("No such file");
    if is_missing { Error::NotInstalled } else { Error::Unusable(text.into_owned()) }
}

/// A server's name in the library's form.
struct Name {
    library: &'static Library,
    raw: *mut c_void,
}

impl Name {
    fn of(library: &'static Library, service: &str) -> Result<Self, Error> {
        let (mut minor, mut raw) = (0, null_mut());
        let (mut text, mut kind) = (Buffer::of(service.as_bytes()), Oid::of(HOST_BASED_SERVICE));
        // SAFETY: all of these live until the call returns; the library copies what it keeps.
        let major = unsafe {
            (library.gss_import_name)(&raw mut minor, &raw mut text, &raw mut kind, &raw mut raw)
        };
        if major & ERRORS != 0 {
            return Err(library.refused((major, minor), KERBEROS));
        }
        Ok(Self { library, raw })
    }
}

impl Drop for Name {
    fn drop(&mut self) {
        let mut minor = 0;
        // SAFETY: it was made by gss_import_name, and nobody else releases it.
        unsafe { (self.library.gss_release_name)(&raw mut minor, &raw mut self.raw) };
    }
}

/// A conversation with a server.
struct Context {
    library: &'static Library,
    /// Null before the first step.
    raw: *mut c_void,
    mechanism: &'static [u8],
}

/// Why a step was not made, and its status.
struct Failed {
    major: Status,
    error: Error,
}

impl Context {
    fn of(library: &'static Library, mechanism: &'static [u8]) -> Self {
        Self { library, raw: null_mut(), mechanism }
    }

    /// A token for the server, if there is one, and whether there is more to say.
    fn step(&mut self, name: &Name, token: &[u8]) -> Result<(Vec<u8>, bool), Failed> {
        let (mut minor, mut made) = (0, Buffer::EMPTY);
        let (mut given, mut mechanism) = (Buffer::of(token), Oid::of(self.mechanism));
        // SAFETY: name and context live, and nobody else uses them meanwhile; the rest lives until the call returns.
        // Null stands for the process's own credentials, no channel bindings, and what nobody wants to know.
        let major = unsafe {
            (self.library.gss_init_sec_context)(
                &raw mut minor,
                null_mut(),
                &raw mut self.raw,
                name.raw,
                &raw mut mechanism,
                FLAGS,
                0,
                null_mut(),
                &raw mut given,
                null_mut(),
                &raw mut made,
                null_mut(),
                null_mut(),
            )
        };
        let made = self.library.take(made);
        if major & ERRORS != 0 {
            let error = self.library.refused((major, minor), self.mechanism);
            return Err(Failed { major, error });
        }
        Ok((made, major & CONTINUE_NEEDED != 0))
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        if self.raw.is_null() {
            return;
        }
        let mut minor = 0;
        // SAFETY: it was made by gss_init_sec_context, and nobody else deletes it; no token is wanted.
        unsafe {
            (self.library.gss_delete_sec_context)(&raw mut minor, &raw mut self.raw, null_mut())
        };
    }
}

/// The initiator of a context with one server.
pub struct Initiator {
    name: Name,
    context: Context,
    is_complete: bool,
}

// SAFETY: names and contexts of MIT's library belong to no thread, and each caller of a function
// here owns both exclusively.
unsafe impl Send for Initiator {}

impl std::fmt::Debug for Initiator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Initiator").field("is_complete", &self.is_complete).finish_non_exhaustive()
    }
}

impl Initiator {
    /// Begins with the web server of a host, `HTTP/host` for Kerberos. Asks nobody yet.
    ///
    /// # Errors
    /// If the library is not there, or takes this for no name.
    pub fn of_web_server(host: &str) -> Result<Self, Error> {
        if host.is_empty() || host.contains('\0') {
            return Err(Error::Name(host.to_owned()));
        }
        let library = Library::get()?;
        let name = Name::of(library, &format!("HTTP@{host}"))?;
        Ok(Self { name, context: Context::of(library, SPNEGO), is_complete: false })
    }

    /// Whether there is nothing more to be taken from the server.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Takes the server's token, an empty one at first, and gives the one to be sent, which is empty if there is none.
    /// Blocks: see the crate.
    ///
    /// # Errors
    /// Why not, in words for the user: no credentials, a server that the KDC does not know, a token that is none.
    pub fn step(&mut self, token: &[u8]) -> Result<Vec<u8>, Error> {
        match self.context.step(&self.name, token) {
            Ok((made, has_more)) => {
                self.is_complete = !has_more;
                Ok(made)
            }
            Err(failed) if failed.major & ERRORS == NO_CREDENTIALS => Err(self.why(failed.error)),
            Err(failed) => Err(failed.error),
        }
    }

    /// Kerberos itself says which credentials are missing, where SPNEGO says only that there is no mechanism.
    fn why(&self, of_spnego: Error) -> Error {
        let mut context = Context::of(self.context.library, KERBEROS);
        context.step(&self.name, &[]).map_or_else(|it| it.error, |_| of_spnego)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_library_is_reported() {
        let why = |name: &CStr| Library::open(name).err().map(|it| it.to_string());
        assert_eq!(
            why(c"libgssapi_none.so.2").as_deref(),
            Some("libgssapi_krb5.so.2 is not installed")
        );
        assert_eq!(
            why(c"libc.so.6").as_deref(),
            Some("libgssapi_krb5.so.2 lacks the function gss_import_name")
        );
    }

    #[test]
    fn names_of_servers_are_checked_before_the_library_is_asked() {
        for name in ["", "a\0b"] {
            let error = Initiator::of_web_server(name).expect_err(name);
            assert_eq!(error, Error::Name(name.to_owned()));
        }
    }
}
