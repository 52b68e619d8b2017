//! Sets `Py_3_13` and its like: the code calls functions that only some versions of Python have.

fn main() {
    pyo3_build_config::use_pyo3_cfgs();
}
