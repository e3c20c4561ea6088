;; Matrix products of int16 activations with int8 weights. `npm run wasm` assembles this file into multiply-bytes.ts.
;; Sums of integers do not depend on the order of their terms, and everything else is rounded once for each value in a
;; fixed order: the result has the same bytes on every machine.
;;
;; Activations are quantized row by row. Four rows are a group: two adjacent values of row 0, of row 1, 2 and 3, then
;; the next two of row 0. Weights are in panels of eight outputs: two adjacent weights of output 0, of output 1 to 7,
;; then the next two of output 0.
(module
  (import "host" "memory" (memory 1))

  ;; Quantizes one row of f32 to int16 from -$limit to $limit, and stores it as a row of a group. Stores the size of a
  ;; step in $scale, and the sum of the quantized row times that size in $sum.
  (func (export "quantize")
    (param $in i32) (param $columns i32) (param $limit f32) (param $out i32) (param $scale i32) (param $sum i32)
    (local $at i32) (local $end i32) (local $most v128) (local $top f32) (local $step v128) (local $part v128)
    (local $total v128)
    (local.set $end (i32.add (local.get $in) (i32.shl (local.get $columns) (i32.const 2))))
    (local.set $at (local.get $in))
    (loop $along
      (local.set $most (f32x4.max (local.get $most) (f32x4.abs (v128.load (local.get $at)))))
      (local.set $at (i32.add (local.get $at) (i32.const 16)))
      (br_if $along (i32.lt_u (local.get $at) (local.get $end))))
    (local.set $top (f32.max
      (f32.max (f32x4.extract_lane 0 (local.get $most)) (f32x4.extract_lane 1 (local.get $most)))
      (f32.max (f32x4.extract_lane 2 (local.get $most)) (f32x4.extract_lane 3 (local.get $most)))))
    ;; A row of zeros has any step.
    (if (f32.eq (local.get $top) (f32.const 0)) (then (local.set $top (f32.const 1))))
    (local.set $step (f32x4.splat (f32.div (local.get $limit) (local.get $top))))
    (local.set $at (local.get $in))
    (loop $along
      ;; Adding 1.5 times 2 to the power of 23 rounds to a whole number, which is then in the lowest bits.
      (local.set $part (i32x4.sub
        (f32x4.add (f32x4.mul (v128.load (local.get $at)) (local.get $step)) (f32x4.splat (f32.const 12582912)))
        (f32x4.splat (f32.const 12582912))))
      (local.set $total (i32x4.add (local.get $total) (local.get $part)))
      (local.set $part (i16x8.narrow_i32x4_s (local.get $part) (local.get $part)))
      (v128.store32_lane 0 (local.get $out) (local.get $part))
      (v128.store32_lane offset=16 1 (local.get $out) (local.get $part))
      (local.set $out (i32.add (local.get $out) (i32.const 32)))
      (local.set $at (i32.add (local.get $at) (i32.const 16)))
      (br_if $along (i32.lt_u (local.get $at) (local.get $end))))
    (local.set $top (f32.div (local.get $top) (local.get $limit)))
    (f32.store (local.get $scale) (local.get $top))
    (f32.store (local.get $sum) (f32.mul (local.get $top) (f32.convert_i32_s (i32.add
      (i32.add (i32x4.extract_lane 0 (local.get $total)) (i32x4.extract_lane 1 (local.get $total)))
      (i32.add (i32x4.extract_lane 2 (local.get $total)) (i32x4.extract_lane 3 (local.get $total))))))))

  ;; Writes four outputs of a row: sums of integers times both scales, plus what the offset of the weights adds.
  (func $finish
    (param $sums v128) (param $scale f32) (param $offset f32) (param $rowScale f32) (param $rowSum f32)
    (param $bias i32) (param $out i32)
    (v128.store (local.get $out)
      (f32x4.add
        (f32x4.add
          (f32x4.mul (f32x4.convert_i32x4_s (local.get $sums))
            (f32x4.splat (f32.mul (local.get $rowScale) (local.get $scale))))
          (f32x4.splat (f32.mul (local.get $rowSum) (local.get $offset))))
        (v128.load (local.get $bias)))))

  ;; A weight is its byte times $scale plus $offset. $rows is a multiple of four, $columns of four, $outputs of eight.
  (func (export "multiply")
    (param $in i32) (param $rows i32) (param $columns i32)
    (param $weights i32) (param $outputs i32) (param $scale f32) (param $offset f32) (param $bias i32)
    (param $rowScales i32) (param $rowSums i32) (param $out i32)
    (local $a0 v128) (local $b0 v128) (local $a1 v128) (local $b1 v128)
    (local $a2 v128) (local $b2 v128) (local $a3 v128) (local $b3 v128)
    (local $left v128) (local $right v128) (local $value v128)
    (local $panelEnd i32) (local $panelBytes i32) (local $outBytes i32) (local $w i32) (local $x i32)
    (local $row i32) (local $target i32)
    (local.set $panelBytes (i32.shl (local.get $columns) (i32.const 3)))
    (local.set $outBytes (i32.shl (local.get $outputs) (i32.const 2)))
    (loop $panel
      (local.set $panelEnd (i32.add (local.get $weights) (local.get $panelBytes)))
      (local.set $x (local.get $in))
      (local.set $target (local.get $out))
      (local.set $row (i32.const 0))
      (loop $group
        (local.set $a0 (v128.const i64x2 0 0)) (local.set $b0 (v128.const i64x2 0 0))
        (local.set $a1 (v128.const i64x2 0 0)) (local.set $b1 (v128.const i64x2 0 0))
        (local.set $a2 (v128.const i64x2 0 0)) (local.set $b2 (v128.const i64x2 0 0))
        (local.set $a3 (v128.const i64x2 0 0)) (local.set $b3 (v128.const i64x2 0 0))
        (local.set $w (local.get $weights))
        (loop $along
          (local.set $left (v128.load8x8_s (local.get $w)))
          (local.set $right (v128.load8x8_s offset=8 (local.get $w)))
          (local.set $value (v128.load32_splat (local.get $x)))
          (local.set $a0 (i32x4.add (local.get $a0) (i32x4.dot_i16x8_s (local.get $left) (local.get $value))))
          (local.set $b0 (i32x4.add (local.get $b0) (i32x4.dot_i16x8_s (local.get $right) (local.get $value))))
          (local.set $value (v128.load32_splat offset=4 (local.get $x)))
          (local.set $a1 (i32x4.add (local.get $a1) (i32x4.dot_i16x8_s (local.get $left) (local.get $value))))
          (local.set $b1 (i32x4.add (local.get $b1) (i32x4.dot_i16x8_s (local.get $right) (local.get $value))))
          (local.set $value (v128.load32_splat offset=8 (local.get $x)))
          (local.set $a2 (i32x4.add (local.get $a2) (i32x4.dot_i16x8_s (local.get $left) (local.get $value))))
          (local.set $b2 (i32x4.add (local.get $b2) (i32x4.dot_i16x8_s (local.get $right) (local.get $value))))
          (local.set $value (v128.load32_splat offset=12 (local.get $x)))
          (local.set $a3 (i32x4.add (local.get $a3) (i32x4.dot_i16x8_s (local.get $left) (local.get $value))))
          (local.set $b3 (i32x4.add (local.get $b3) (i32x4.dot_i16x8_s (local.get $right) (local.get $value))))

          (local.set $left (v128.load8x8_s offset=16 (local.get $w)))
          (local.set $right (v128.load8x8_s offset=24 (local.get $w)))
          (local.set $value (v128.load32_splat offset=16 (local.get $x)))
          (local.set $a0 (i32x4.add (local.get $a0) (i32x4.dot_i16x8_s (local.get $left) (local.get $value))))
          (local.set $b0 (i32x4.add (local.get $b0) (i32x4.dot_i16x8_s (local.get $right) (local.get $value))))
          (local.set $value (v128.load32_splat offset=20 (local.get $x)))
          (local.set $a1 (i32x4.add (local.get $a1) (i32x4.dot_i16x8_s (local.get $left) (local.get $value))))
          (local.set $b1 (i32x4.add (local.get $b1) (i32x4.dot_i16x8_s (local.get $right) (local.get $value))))
          (local.set $value (v128.load32_splat offset=24 (local.get $x)))
          (local.set $a2 (i32x4.add (local.get $a2) (i32x4.dot_i16x8_s (local.get $left) (local.get $value))))
          (local.set $b2 (i32x4.add (local.get $b2) (i32x4.dot_i16x8_s (local.get $right) (local.get $value))))
          (local.set $value (v128.load32_splat offset=28 (local.get $x)))
          (local.set $a3 (i32x4.add (local.get $a3) (i32x4.dot_i16x8_s (local.get $left) (local.get $value))))
          (local.set $b3 (i32x4.add (local.get $b3) (i32x4.dot_i16x8_s (local.get $right) (local.get $value))))
          (local.set $x (i32.add (local.get $x) (i32.const 32)))
          (local.set $w (i32.add (local.get $w) (i32.const 32)))
          (br_if $along (i32.lt_u (local.get $w) (local.get $panelEnd))))

        (call $finishRow (local.get $a0) (local.get $b0) (local.get $scale) (local.get $offset)
          (local.get $rowScales) (local.get $rowSums) (local.get $row) (local.get $bias) (local.get $target))
        (local.set $target (i32.add (local.get $target) (local.get $outBytes)))
        (call $finishRow (local.get $a1) (local.get $b1) (local.get $scale) (local.get $offset)
          (local.get $rowScales) (local.get $rowSums) (i32.add (local.get $row) (i32.const 1))
          (local.get $bias) (local.get $target))
        (local.set $target (i32.add (local.get $target) (local.get $outBytes)))
        (call $finishRow (local.get $a2) (local.get $b2) (local.get $scale) (local.get $offset)
          (local.get $rowScales) (local.get $rowSums) (i32.add (local.get $row) (i32.const 2))
          (local.get $bias) (local.get $target))
        (local.set $target (i32.add (local.get $target) (local.get $outBytes)))
        (call $finishRow (local.get $a3) (local.get $b3) (local.get $scale) (local.get $offset)
          (local.get $rowScales) (local.get $rowSums) (i32.add (local.get $row) (i32.const 3))
          (local.get $bias) (local.get $target))
        (local.set $target (i32.add (local.get $target) (local.get $outBytes)))
        (local.set $row (i32.add (local.get $row) (i32.const 4)))
        (br_if $group (i32.lt_u (local.get $row) (local.get $rows))))
      (local.set $weights (local.get $panelEnd))
      (local.set $bias (i32.add (local.get $bias) (i32.const 32)))
      (local.set $out (i32.add (local.get $out) (i32.const 32)))
      (local.set $outputs (i32.sub (local.get $outputs) (i32.const 8)))
      (br_if $panel (local.get $outputs))))

  ;; Writes eight outputs of a row.
  (func $finishRow
    (param $a v128) (param $b v128) (param $scale f32) (param $offset f32)
    (param $rowScales i32) (param $rowSums i32) (param $row i32) (param $bias i32) (param $out i32)
    (local $rowScale f32) (local $rowSum f32)
    (local.set $rowScale (f32.load (i32.add (local.get $rowScales) (i32.shl (local.get $row) (i32.const 2)))))
    (local.set $rowSum (f32.load (i32.add (local.get $rowSums) (i32.shl (local.get $row) (i32.const 2)))))
    (call $finish (local.get $a) (local.get $scale) (local.get $offset) (local.get $rowScale) (local.get $rowSum)
      (local.get $bias) (local.get $out))
    (call $finish (local.get $b) (local.get $scale) (local.get $offset) (local.get $rowScale) (local.get $rowSum)
      (i32.add (local.get $bias) (i32.const 16)) (i32.add (local.get $out) (i32.const 16)))))
