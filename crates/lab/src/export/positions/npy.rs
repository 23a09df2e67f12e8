//! Head of an NPY file, version 1.0 of NumPy's format.

/// Length of the head in bytes. It is constant, so that the head can be replaced once the number of
/// moments is known.
const HEAD_LENGTH: usize = 128;

/// Returns the head for an array in C order. `kind` is the type of the numbers in NumPy's notation,
/// e.g. `<f8` (little-endian f64).
pub(super) fn header(kind: &str, shape: &[u64]) -> Vec<u8> {
    let sizes: Vec<String> = shape.iter().map(u64::to_string).collect();
    // In Python, a tuple with one element needs a comma.
    let comma = if sizes.len() == 1 { "," } else { "" };
    let sizes = sizes.join(", ") + comma;
    let text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({sizes}), }}");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    let rest = HEAD_LENGTH - bytes.len() - 2;
    bytes.extend((rest as u16).to_le_bytes());
    bytes.extend(format!("{text:<width$}\n", width = rest - 1).bytes());
    bytes
}
