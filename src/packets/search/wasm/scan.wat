;; Scans quantized rows and writes a candidate for every row whose score plus error reaches $least.
;; `npm run wasm` assembles this file into scan-bytes.ts; scan-module.ts has the constants of the layout.
;;
;; Rows are int8 in groups of four: sixteen bytes of row 0, sixteen of row 1, 2 and 3, then the next sixteen of
;; row 0. The query is int16. Rows and query are padded with zeros to a multiple of sixteen values.
;; Each row has three f32 statistics: scale, norm, norm of the quantization residual.
;; A candidate is 24 bytes: score f64, error f64, row i32, four bytes unused.
;; Returns the address behind the last candidate.
(module
  (import "host" "memory" (memory 1))
  (func (export "scan")
    (param $rows i32) (param $groupBytes i32) (param $stats i32) (param $first i32) (param $last i32)
    (param $query i32) (param $scale f64) (param $byNorm f64) (param $byResidual f64) (param $least f64)
    (param $out i32) (result i32)
    (local $sum0 v128) (local $sum1 v128) (local $sum2 v128) (local $sum3 v128)
    (local $at i32) (local $end i32) (local $part v128) (local $score f64) (local $error f64)
    (block $done
      (loop $group
        (br_if $done (i32.ge_u (local.get $first) (local.get $last)))
        (local.set $sum0 (v128.const i64x2 0 0))
        (local.set $sum1 (v128.const i64x2 0 0))
        (local.set $sum2 (v128.const i64x2 0 0))
        (local.set $sum3 (v128.const i64x2 0 0))
        (local.set $at (local.get $query))
        (local.set $end (i32.add (local.get $rows) (local.get $groupBytes)))

        ;; Dot products of sixteen values of four rows with the query, in two halves of eight.
        (loop $along
          (local.set $part (v128.load (local.get $at)))
          (local.set $sum0 (i32x4.add
            (i32x4.dot_i16x8_s (v128.load8x8_s (local.get $rows)) (local.get $part))
            (local.get $sum0)))
          (local.set $sum1 (i32x4.add
            (i32x4.dot_i16x8_s (v128.load8x8_s offset=16 (local.get $rows)) (local.get $part))
            (local.get $sum1)))
          (local.set $sum2 (i32x4.add
            (i32x4.dot_i16x8_s (v128.load8x8_s offset=32 (local.get $rows)) (local.get $part))
            (local.get $sum2)))
          (local.set $sum3 (i32x4.add
            (i32x4.dot_i16x8_s (v128.load8x8_s offset=48 (local.get $rows)) (local.get $part))
            (local.get $sum3)))
          (local.set $part (v128.load offset=16 (local.get $at)))
          (local.set $sum0 (i32x4.add
            (i32x4.dot_i16x8_s (v128.load8x8_s offset=8 (local.get $rows)) (local.get $part))
            (local.get $sum0)))
          (local.set $sum1 (i32x4.add
            (i32x4.dot_i16x8_s (v128.load8x8_s offset=24 (local.get $rows)) (local.get $part))
            (local.get $sum1)))
          (local.set $sum2 (i32x4.add
            (i32x4.dot_i16x8_s (v128.load8x8_s offset=40 (local.get $rows)) (local.get $part))
            (local.get $sum2)))
          (local.set $sum3 (i32x4.add
            (i32x4.dot_i16x8_s (v128.load8x8_s offset=56 (local.get $rows)) (local.get $part))
            (local.get $sum3)))
          (local.set $at (i32.add (local.get $at) (i32.const 32)))
          (local.set $rows (i32.add (local.get $rows) (i32.const 64)))
          (br_if $along (i32.lt_u (local.get $rows) (local.get $end))))

        ;; Row 0 of the group.
        (block $skip
          (local.set $score (f64.mul
            (f64.convert_i32_s (i32.add (i32.add (i32.add
              (i32x4.extract_lane 0 (local.get $sum0)) (i32x4.extract_lane 1 (local.get $sum0)))
              (i32x4.extract_lane 2 (local.get $sum0)))
              (i32x4.extract_lane 3 (local.get $sum0))))
            (f64.mul (f64.promote_f32 (f32.load (local.get $stats))) (local.get $scale))))
          (local.set $error (f64.add
            (f64.mul (f64.promote_f32 (f32.load offset=4 (local.get $stats))) (local.get $byNorm))
            (f64.mul (f64.promote_f32 (f32.load offset=8 (local.get $stats))) (local.get $byResidual))))
          (br_if $skip (f64.lt (f64.add (local.get $score) (local.get $error)) (local.get $least)))
          (f64.store (local.get $out) (local.get $score))
          (f64.store offset=8 (local.get $out) (local.get $error))
          (i32.store offset=16 (local.get $out) (i32.add (local.get $first) (i32.const 0)))
          (local.set $out (i32.add (local.get $out) (i32.const 24))))

        ;; Row 1 of the group.
        (block $skip
          (local.set $score (f64.mul
            (f64.convert_i32_s (i32.add (i32.add (i32.add
              (i32x4.extract_lane 0 (local.get $sum1)) (i32x4.extract_lane 1 (local.get $sum1)))
              (i32x4.extract_lane 2 (local.get $sum1)))
              (i32x4.extract_lane 3 (local.get $sum1))))
            (f64.mul (f64.promote_f32 (f32.load offset=12 (local.get $stats))) (local.get $scale))))
          (local.set $error (f64.add
            (f64.mul (f64.promote_f32 (f32.load offset=16 (local.get $stats))) (local.get $byNorm))
            (f64.mul (f64.promote_f32 (f32.load offset=20 (local.get $stats))) (local.get $byResidual))))
          (br_if $skip (f64.lt (f64.add (local.get $score) (local.get $error)) (local.get $least)))
          (f64.store (local.get $out) (local.get $score))
          (f64.store offset=8 (local.get $out) (local.get $error))
          (i32.store offset=16 (local.get $out) (i32.add (local.get $first) (i32.const 1)))
          (local.set $out (i32.add (local.get $out) (i32.const 24))))

        ;; Row 2 of the group.
        (block $skip
          (local.set $score (f64.mul
            (f64.convert_i32_s (i32.add (i32.add (i32.add
              (i32x4.extract_lane 0 (local.get $sum2)) (i32x4.extract_lane 1 (local.get $sum2)))
              (i32x4.extract_lane 2 (local.get $sum2)))
              (i32x4.extract_lane 3 (local.get $sum2))))
            (f64.mul (f64.promote_f32 (f32.load offset=24 (local.get $stats))) (local.get $scale))))
          (local.set $error (f64.add
            (f64.mul (f64.promote_f32 (f32.load offset=28 (local.get $stats))) (local.get $byNorm))
            (f64.mul (f64.promote_f32 (f32.load offset=32 (local.get $stats))) (local.get $byResidual))))
          (br_if $skip (f64.lt (f64.add (local.get $score) (local.get $error)) (local.get $least)))
          (f64.store (local.get $out) (local.get $score))
          (f64.store offset=8 (local.get $out) (local.get $error))
          (i32.store offset=16 (local.get $out) (i32.add (local.get $first) (i32.const 2)))
          (local.set $out (i32.add (local.get $out) (i32.const 24))))

        ;; Row 3 of the group.
        (block $skip
          (local.set $score (f64.mul
            (f64.convert_i32_s (i32.add (i32.add (i32.add
              (i32x4.extract_lane 0 (local.get $sum3)) (i32x4.extract_lane 1 (local.get $sum3)))
              (i32x4.extract_lane 2 (local.get $sum3)))
              (i32x4.extract_lane 3 (local.get $sum3))))
            (f64.mul (f64.promote_f32 (f32.load offset=36 (local.get $stats))) (local.get $scale))))
          (local.set $error (f64.add
            (f64.mul (f64.promote_f32 (f32.load offset=40 (local.get $stats))) (local.get $byNorm))
            (f64.mul (f64.promote_f32 (f32.load offset=44 (local.get $stats))) (local.get $byResidual))))
          (br_if $skip (f64.lt (f64.add (local.get $score) (local.get $error)) (local.get $least)))
          (f64.store (local.get $out) (local.get $score))
          (f64.store offset=8 (local.get $out) (local.get $error))
          (i32.store offset=16 (local.get $out) (i32.add (local.get $first) (i32.const 3)))
          (local.set $out (i32.add (local.get $out) (i32.const 24))))

        (local.set $stats (i32.add (local.get $stats) (i32.const 48)))
        (local.set $first (i32.add (local.get $first) (i32.const 4)))
        (br $group)))
    (local.get $out)))
