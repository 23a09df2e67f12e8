use super::*;
use glam::DVec3;
use std::alloc::{GlobalAlloc, Layout};

/// Kernel that applies every operation of [`Vector`] to each pair of vectors.
struct Operations<'a>(&'a [f64], &'a [f64]);

impl Kernel for Operations<'_> {
    type Output = Vec<Vec<f64>>;
    #[inline(always)]
    fn run<V: Vector>(self) -> Vec<Vec<f64>> {
        let mut results = vec![Vec::new(); 15];
        for (a, b) in self.0.chunks_exact(V::ELEMENTS).zip(self.1.chunks_exact(V::ELEMENTS)) {
            let (a, b) = (V::load(a), V::load(b));
            let values = [
                a + b,
                a - b,
                a * b,
                a / b,
                a.sqrt(),
                a.abs(),
                a.lesser(b),
                a.greater(b),
                a.or_zero(b.is_finite()),
                a.or_zero(a.is_above(b)),
                a.or_zero(V::and(a.is_above(b), a.is_finite())),
                V::select(a.is_above(b), a, b),
                a.shift_up(b),
                a.shift_down(b),
            ];
            for (result, value) in results.iter_mut().zip(values) {
                result.extend_from_slice(value.as_slice());
            }
            a.repeat_thrice()
                .iter()
                .for_each(|part| results[14].extend_from_slice(part.as_slice()));
        }
        results
    }
}

fn bits(numbers: &[f64]) -> Vec<u64> {
    numbers.iter().map(|x| if x.is_nan() { f64::NAN.to_bits() } else { x.to_bits() }).collect()
}

#[test]
fn every_instruction_set_computes_what_scalars_compute() {
    let a = [1.5, -0.0, 0.0, f64::INFINITY, f64::NAN, 1e-310, -3.0, 1e300];
    let b = [0.1, 0.0, f64::NAN, 2.0, f64::INFINITY, 3.0, -0.0, 1e300];
    let each = |f: &dyn Fn(f64, f64) -> f64| -> Vec<f64> {
        a.iter().zip(&b).map(|(a, b)| f(*a, *b)).collect()
    };
    for isa in Isa::with_kernels() {
        let n = isa.elements().max(2);
        let neighbours = |up: bool| -> Vec<f64> {
            let shifted = |(a, b): (&[f64], &[f64])| {
                let row = if up { [&b[n - 1..], &a[..n - 1]] } else { [&a[1..], &b[..1]] };
                row.concat()
            };
            a.chunks_exact(n).zip(b.chunks_exact(n)).flat_map(shifted).collect()
        };
        let expected = [
            each(&|a, b| a + b),
            each(&|a, b| a - b),
            each(&|a, b| a * b),
            each(&|a, b| a / b),
            each(&|a, _| a.sqrt()),
            each(&|a, _| a.abs()),
            each(&|a, b| if a < b { a } else { b }),
            each(&|a, b| if a > b { a } else { b }),
            each(&|a, b| if b.is_finite() { a } else { 0.0 }),
            each(&|a, b| if a > b { a } else { 0.0 }),
            each(&|a, b| if a > b && a.is_finite() { a } else { 0.0 }),
            each(&|a, b| if a > b { a } else { b }),
            neighbours(true),
            neighbours(false),
            a.iter().flat_map(|a| [*a; 3]).collect(),
        ];
        let found = isa.run(Operations(&a, &b));
        for (operation, (found, expected)) in found.iter().zip(&expected).enumerate() {
            assert_eq!(bits(found), bits(expected), "{} {operation}", isa.name());
        }
    }
}

/// Kernel that loads every `stride`-th number, starting at each number of a slice.
struct Strided<'a>(&'a [f64], usize);

impl Kernel for Strided<'_> {
    type Output = Vec<Vec<f64>>;
    #[inline(always)]
    fn run<V: Vector>(self) -> Self::Output {
        let Self(numbers, stride) = self;
        let from = |first: usize| V::strided(&numbers[first..], stride).as_slice().to_vec();
        (0..=numbers.len()).map(from).collect()
    }
}

#[test]
fn numbers_are_read_as_far_as_there_are_some() {
    let numbers: Vec<f64> = (1..30).map(f64::from).collect();
    for isa in Isa::with_kernels() {
        for stride in [1, 3, 4] {
            let found = isa.run(Strided(&numbers, stride));
            for (first, found) in found.into_iter().enumerate() {
                let number = |i: usize| numbers.get(first + i * stride).copied().unwrap_or(0.0);
                let expected: Vec<f64> = (0..isa.elements().max(2)).map(number).collect();
                assert_eq!(found, expected, "{}", isa.name());
            }
        }
    }
}

/// Kernel that copies every `stride`-th point of a slice to another slice, starting at each point.
struct Points<'a>(&'a [DVec3], usize);

impl Kernel for Points<'_> {
    type Output = Vec<(Vec<f64>, Vec<DVec3>)>;
    #[inline(always)]
    fn run<V: Vector>(self) -> Self::Output {
        let Self(points, stride) = self;
        let copy = |first: usize| {
            let columns = V::points(&points[first..], stride);
            let mut written = vec![DVec3::NEG_ONE; points.len() - first];
            V::put_points(columns, &mut written, stride);
            (columns.iter().flat_map(|column| column.as_slice()).copied().collect(), written)
        };
        (0..points.len()).map(copy).collect()
    }
}

#[test]
fn points_are_read_and_written_as_far_as_there_are_some() {
    let point = |i: usize| DVec3::new(i as f64, i as f64 + 0.25, i as f64 + 0.5);
    let points: Vec<DVec3> = (1..20).map(point).collect();
    for isa in Isa::with_kernels() {
        let elements = isa.elements().max(2);
        for stride in [1, 3] {
            let found = isa.run(Points(&points, stride));
            for (first, (columns, written)) in found.into_iter().enumerate() {
                let rest = &points[first..];
                let read = |k: usize| {
                    (0..elements).map(move |i| rest.get(i * stride).map_or(0.0, |p| p[k]))
                };
                assert_eq!(columns, (0..3).flat_map(read).collect::<Vec<_>>());
                let is_written = |i: usize| i.is_multiple_of(stride) && i / stride < elements;
                let copied = |i: usize| if is_written(i) { rest[i] } else { DVec3::NEG_ONE };
                assert_eq!(written, (0..rest.len()).map(copied).collect::<Vec<_>>());
            }
        }
    }
}

#[test]
fn large_memory_begins_at_a_cache_line_and_keeps_what_it_holds() {
    let sizes = [1, 4095, 4096, 4097, 100_000];
    for (from, to) in sizes.into_iter().flat_map(|from| sizes.map(|to| (from, to))) {
        let [old, new] = [from, to].map(|size| Layout::from_size_align(size, 8).unwrap());
        // SAFETY: the sizes are not zero. The memory is freed once, with the layout of its
        // allocation.
        unsafe {
            let memory = CacheLineAllocator.alloc_zeroed(old);
            assert!(from < 4096 || memory.addr().is_multiple_of(64));
            assert_eq!((*memory, *memory.add(from - 1)), (0, 0));
            memory.write_bytes(7, from);
            let memory = CacheLineAllocator.realloc(memory, old, to);
            assert!(to < 4096 || memory.addr().is_multiple_of(64), "{from} to {to} bytes");
            let kept = std::slice::from_raw_parts(memory, from.min(to));
            assert!(kept.iter().all(|byte| *byte == 7));
            CacheLineAllocator.dealloc(memory, new);
        }
    }
}
