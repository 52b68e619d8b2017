//! Tells the code which Python it is built for: `cfg(Py_3_12)`, `cfg(Py_GIL_DISABLED)` and the like.

fn main() {
    pyo3_build_config::use_pyo3_cfgs();
}
