//! The head of an NPY file, version 1.0 of NumPy's format.

/// Bytes of the head, whatever the shape, so that it can be written again when the shape is known.
const LENGTH: usize = 128;

/// The head of an array of little-endian numbers of that kind, such as `<f8`, in C order.
pub(super) fn header(kind: &str, shape: &[u64]) -> Vec<u8> {
    let sizes: Vec<String> = shape.iter().map(u64::to_string).collect();
    // One size has a comma behind it, too: a tuple of Python.
    let comma = if sizes.len() == 1 { "," } else { "" };
    let sizes = sizes.join(", ") + comma;
    let text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({sizes}), }}");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    let rest = LENGTH - bytes.len() - 2;
    bytes.extend((rest as u16).to_le_bytes());
    bytes.extend(format!("{text:<width$}\n", width = rest - 1).bytes());
    bytes
}
