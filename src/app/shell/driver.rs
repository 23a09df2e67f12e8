//! Check whether the driver provides OpenGL. Without OpenGL, the server refuses a request of the
//! window library (`GLXBadFBConfig`), and Xlib ends the process. This check makes the same request
//! first, with an error handler that only remembers the refusal.
#![expect(unsafe_code, reason = "Xlib and GLX are C libraries")]

use macroquad::miniquad::native::linux_x11::libx11::{Display, LibX11, XErrorEvent};
use macroquad::miniquad::native::module::Module;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, Ordering};

type Config = *mut c_void;
type Context = *mut c_void;
type ChooseConfig =
    unsafe extern "C" fn(*mut Display, c_int, *const c_int, *mut c_int) -> *mut Config;
type Find = unsafe extern "C" fn(*const c_char) -> *const c_void;
type CreateContext =
    unsafe extern "C" fn(*mut Display, Config, Context, c_int, *const c_int) -> Context;
type DestroyContext = unsafe extern "C" fn(*mut Display, Context);

/// GLX_CONTEXT_MAJOR_VERSION_ARB and GLX_CONTEXT_MINOR_VERSION_ARB with the values that the window
/// library requests.
const OPENGL_2_1: [c_int; 5] = [0x2091, 2, 0x2092, 1, 0];
const CREATE_CONTEXT: &CStr = c"glXCreateContextAttribsARB";

static REFUSED: AtomicBool = AtomicBool::new(false);

/// Creates an OpenGL context with GLX and drops it. Also succeeds without GLX, because the window
/// library then uses EGL, which reports its own errors.
pub fn check_opengl() -> Result<(), String> {
    let Ok(xlib) = LibX11::try_load() else { return Ok(()) };
    let Ok(gl) = Module::load("libGL.so").or_else(|_| Module::load("libGL.so.1")) else {
        return Ok(());
    };
    // SAFETY: a null name means DISPLAY; the answer is checked.
    let display = unsafe { (xlib.XOpenDisplay)(null()) };
    if display.is_null() {
        return Err("the display refused a second connection".to_owned());
    }
    // SAFETY: the handler lasts as long as the process and uses none of its arguments.
    unsafe { (xlib.XSetErrorHandler)(Some(note_refusal)) };
    // SAFETY: `display` is open; it is closed below.
    let made = unsafe { makes_context(&gl, display) };
    // SAFETY: `display` was opened here and is not used elsewhere. `None` restores Xlib's own
    // handler.
    unsafe {
        (xlib.XCloseDisplay)(display);
        (xlib.XSetErrorHandler)(None);
    }
    // The library stays loaded, because its driver may have started threads.
    std::mem::forget(gl);
    match made && !REFUSED.load(Ordering::Relaxed) {
        true => Ok(()),
        false => Err("the driver cannot create an OpenGL context".to_owned()),
    }
}

/// Tries to create an OpenGL context. Returns false only if the attempt fails. Missing functions or
/// configurations count as success, because the window library reports them itself.
///
/// # Safety
///
/// `display` must be open.
unsafe fn makes_context(gl: &Module, display: *mut Display) -> bool {
    let functions = (
        gl.get_symbol::<ChooseConfig>("glXChooseFBConfig"),
        gl.get_symbol::<Find>("glXGetProcAddressARB"),
        gl.get_symbol::<DestroyContext>("glXDestroyContext"),
    );
    let (Ok(choose), Ok(find), Ok(destroy)) = functions else { return true };
    let mut count = 0;
    // SAFETY: without attributes, any configuration matches; screen 0 exists on every display.
    let configs = unsafe { choose(display, 0, null(), &mut count) };
    // SAFETY: the name is a C string that ends with a zero byte.
    let create = unsafe { find(CREATE_CONTEXT.as_ptr()) };
    if configs.is_null() || count == 0 || create.is_null() {
        return true;
    }
    // SAFETY: GLX_ARB_create_context defines this function type, `configs` has at least one entry,
    // and the attribute list ends with a zero.
    unsafe {
        let create = std::mem::transmute::<*const c_void, CreateContext>(create);
        let context = create(display, *configs, null_mut(), 1, OPENGL_2_1.as_ptr());
        if !context.is_null() {
            destroy(display, context);
        }
        !context.is_null()
    }
}

unsafe extern "C" fn note_refusal(_: *mut Display, _: *mut XErrorEvent) -> c_int {
    REFUSED.store(true, Ordering::Relaxed);
    0
}
