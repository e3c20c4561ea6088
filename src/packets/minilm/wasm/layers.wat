;; What a layer of BERT does beside matrix products, in f32. `npm run wasm` assembles this file into layers-bytes.ts.
;; Only operations that IEEE 754 rounds exactly are used, in a fixed order, and exp and erf are polynomials: the result
;; has the same bytes on every machine.
(module
  (import "host" "memory" (memory 1))

  ;; e to the power of x, for x up to 0. Smaller values than -87 count as -87.
  (func $exp (param $x v128) (result v128)
    (local $bits v128) (local $n v128) (local $sum v128)
    (local.set $x (f32x4.max (local.get $x) (f32x4.splat (f32.const -87))))
    ;; Adding 1.5 times 2 to the power of 23 rounds to a whole number, which is then in the lowest bits.
    (local.set $bits (f32x4.add
      (f32x4.mul (local.get $x) (f32x4.splat (f32.const 1.4426950408889634))) (f32x4.splat (f32.const 12582912))))
    (local.set $n (f32x4.sub (local.get $bits) (f32x4.splat (f32.const 12582912))))
    ;; x - n ln 2, with ln 2 in two parts, so that the product with the first is exact.
    (local.set $x (f32x4.sub (local.get $x) (f32x4.mul (local.get $n) (f32x4.splat (f32.const 0.693359375)))))
    (local.set $x (f32x4.add (local.get $x) (f32x4.mul (local.get $n) (f32x4.splat (f32.const 2.12194440e-4)))))
    ;; The Taylor series: what is left of x is at most ln 2 / 2.
    (local.set $sum (f32x4.splat (f32.const 0.001388888888888889)))
    (local.set $sum (f32x4.add (f32x4.mul (local.get $sum) (local.get $x)) (f32x4.splat (f32.const 0.008333333333333333))))
    (local.set $sum (f32x4.add (f32x4.mul (local.get $sum) (local.get $x)) (f32x4.splat (f32.const 0.041666666666666664))))
    (local.set $sum (f32x4.add (f32x4.mul (local.get $sum) (local.get $x)) (f32x4.splat (f32.const 0.16666666666666666))))
    (local.set $sum (f32x4.add (f32x4.mul (local.get $sum) (local.get $x)) (f32x4.splat (f32.const 0.5))))
    (local.set $sum (f32x4.add (f32x4.mul (local.get $sum) (local.get $x)) (f32x4.splat (f32.const 1))))
    (local.set $sum (f32x4.add (f32x4.mul (local.get $sum) (local.get $x)) (f32x4.splat (f32.const 1))))
    ;; Times two to the power of n: n is added to the exponent.
    (i32x4.add (local.get $sum) (i32x4.shl (local.get $bits) (i32.const 23))))

  ;; x times the probability that a normal variable is below x, in place. $count is a multiple of four.
  ;; erf by formula 7.1.26 of Abramowitz and Stegun, whose error is below 1.5e-7.
  (func (export "gelu") (param $at i32) (param $count i32)
    (local $end i32) (local $x v128) (local $z v128) (local $t v128) (local $sum v128)
    (local.set $end (i32.add (local.get $at) (i32.shl (local.get $count) (i32.const 2))))
    (loop $along
      (local.set $x (v128.load (local.get $at)))
      (local.set $z (f32x4.abs (f32x4.mul (local.get $x) (f32x4.splat (f32.const 0.7071067811865476)))))
      (local.set $t (f32x4.div (f32x4.splat (f32.const 1))
        (f32x4.add (f32x4.splat (f32.const 1)) (f32x4.mul (local.get $z) (f32x4.splat (f32.const 0.3275911))))))
      (local.set $sum (f32x4.splat (f32.const 1.061405429)))
      (local.set $sum (f32x4.add (f32x4.mul (local.get $sum) (local.get $t)) (f32x4.splat (f32.const -1.453152027))))
      (local.set $sum (f32x4.add (f32x4.mul (local.get $sum) (local.get $t)) (f32x4.splat (f32.const 1.421413741))))
      (local.set $sum (f32x4.add (f32x4.mul (local.get $sum) (local.get $t)) (f32x4.splat (f32.const -0.284496736))))
      (local.set $sum (f32x4.add (f32x4.mul (local.get $sum) (local.get $t)) (f32x4.splat (f32.const 0.254829592))))
      (local.set $sum (f32x4.mul (f32x4.mul (local.get $sum) (local.get $t))
        (call $exp (f32x4.neg (f32x4.mul (local.get $z) (local.get $z))))))
      ;; erf(|z|) is 1 - sum. Its sign is that of x.
      (local.set $sum (v128.or
        (f32x4.sub (f32x4.splat (f32.const 1)) (local.get $sum))
        (v128.and (local.get $x) (v128.const i32x4 0x80000000 0x80000000 0x80000000 0x80000000))))
      (v128.store (local.get $at)
        (f32x4.mul (f32x4.mul (local.get $x) (f32x4.splat (f32.const 0.5)))
          (f32x4.add (local.get $sum) (f32x4.splat (f32.const 1)))))
      (local.set $at (i32.add (local.get $at) (i32.const 16)))
      (br_if $along (i32.lt_u (local.get $at) (local.get $end)))))

  (func $sumLanes (param $x v128) (result f32)
    (f32.add
      (f32.add (f32x4.extract_lane 0 (local.get $x)) (f32x4.extract_lane 1 (local.get $x)))
      (f32.add (f32x4.extract_lane 2 (local.get $x)) (f32x4.extract_lane 3 (local.get $x)))))

  ;; Adds two rows and normalizes the sum to mean 0 and variance 1, then multiplies by $gamma and adds $beta.
  (func (export "normalize")
    (param $left i32) (param $right i32) (param $columns i32) (param $gamma i32) (param $beta i32) (param $out i32)
    (local $i i32) (local $bytes i32) (local $x v128) (local $sum v128) (local $mean v128) (local $factor v128)
    (local.set $bytes (i32.shl (local.get $columns) (i32.const 2)))
    (loop $add
      (local.set $x (f32x4.add
        (v128.load (i32.add (local.get $left) (local.get $i))) (v128.load (i32.add (local.get $right) (local.get $i)))))
      (local.set $sum (f32x4.add (local.get $sum) (local.get $x)))
      (v128.store (i32.add (local.get $out) (local.get $i)) (local.get $x))
      (local.set $i (i32.add (local.get $i) (i32.const 16)))
      (br_if $add (i32.lt_u (local.get $i) (local.get $bytes))))
    (local.set $mean (f32x4.splat (f32.div (call $sumLanes (local.get $sum)) (f32.convert_i32_s (local.get $columns)))))
    (local.set $sum (v128.const i64x2 0 0))
    (local.set $i (i32.const 0))
    (loop $square
      (local.set $x (f32x4.sub (v128.load (i32.add (local.get $out) (local.get $i))) (local.get $mean)))
      (local.set $sum (f32x4.add (local.get $sum) (f32x4.mul (local.get $x) (local.get $x))))
      (local.set $i (i32.add (local.get $i) (i32.const 16)))
      (br_if $square (i32.lt_u (local.get $i) (local.get $bytes))))
    (local.set $factor (f32x4.splat (f32.div (f32.const 1) (f32.sqrt (f32.add
      (f32.div (call $sumLanes (local.get $sum)) (f32.convert_i32_s (local.get $columns))) (f32.const 1e-12))))))
    (local.set $i (i32.const 0))
    (loop $scale
      (v128.store (i32.add (local.get $out) (local.get $i))
        (f32x4.add
          (f32x4.mul
            (f32x4.mul
              (f32x4.sub (v128.load (i32.add (local.get $out) (local.get $i))) (local.get $mean))
              (local.get $factor))
            (v128.load (i32.add (local.get $gamma) (local.get $i))))
          (v128.load (i32.add (local.get $beta) (local.get $i)))))
      (local.set $i (i32.add (local.get $i) (i32.const 16)))
      (br_if $scale (i32.lt_u (local.get $i) (local.get $bytes)))))

  ;; Turns scores into probabilities, in place: e to the power of the score minus the highest, over their sum. $bytes is
  ;; a multiple of sixteen.
  (func $softmax (param $scores i32) (param $bytes i32)
    (local $i i32) (local $x v128) (local $most v128) (local $top v128) (local $sum v128) (local $factor v128)
    (local.set $most (v128.load (local.get $scores)))
    (loop $highest
      (local.set $most (f32x4.max (local.get $most) (v128.load (i32.add (local.get $scores) (local.get $i)))))
      (local.set $i (i32.add (local.get $i) (i32.const 16)))
      (br_if $highest (i32.lt_u (local.get $i) (local.get $bytes))))
    (local.set $top (f32x4.splat (f32.max
      (f32.max (f32x4.extract_lane 0 (local.get $most)) (f32x4.extract_lane 1 (local.get $most)))
      (f32.max (f32x4.extract_lane 2 (local.get $most)) (f32x4.extract_lane 3 (local.get $most))))))
    (local.set $i (i32.const 0))
    (loop $power
      (local.set $x (call $exp
        (f32x4.sub (v128.load (i32.add (local.get $scores) (local.get $i))) (local.get $top))))
      (local.set $sum (f32x4.add (local.get $sum) (local.get $x)))
      (v128.store (i32.add (local.get $scores) (local.get $i)) (local.get $x))
      (local.set $i (i32.add (local.get $i) (i32.const 16)))
      (br_if $power (i32.lt_u (local.get $i) (local.get $bytes))))
    (local.set $factor (f32x4.splat (f32.div (f32.const 1) (call $sumLanes (local.get $sum)))))
    (local.set $i (i32.const 0))
    (loop $scale
      (v128.store (i32.add (local.get $scores) (local.get $i))
        (f32x4.mul (v128.load (i32.add (local.get $scores) (local.get $i))) (local.get $factor)))
      (local.set $i (i32.add (local.get $i) (i32.const 16)))
      (br_if $scale (i32.lt_u (local.get $i) (local.get $bytes)))))

  ;; One head of attention, which has 32 columns. $q, $k, $v and $out are the addresses of its first column; their rows
  ;; are $stride bytes long. $keys has space for the transposed keys, $scores for four rows. $padded is $rows rounded up
  ;; to a multiple of eight: the scores of the keys that are added are so low that their probability is 0. $out is
  ;; written in groups of four rows: those behind $rows have no meaning.
  (func (export "attend")
    (param $q i32) (param $k i32) (param $v i32) (param $out i32) (param $stride i32) (param $rows i32)
    (param $padded i32) (param $keys i32) (param $scores i32)
    (local $row i32) (local $column i32) (local $at i32) (local $to i32) (local $end i32) (local $keyBytes i32)
    (local $q1 i32) (local $q2 i32) (local $q3 i32) (local $line i32) (local $last i32)
    (local $x v128) (local $a v128) (local $b v128)
    (local $o0 v128) (local $o1 v128) (local $o2 v128) (local $o3 v128)
    (local $o4 v128) (local $o5 v128) (local $o6 v128) (local $o7 v128)
    (local.set $keyBytes (i32.shl (local.get $padded) (i32.const 2)))

    ;; Keys by column, scaled by one over the root of 32.
    (loop $transpose
      (local.set $column (i32.const 0))
      (local.set $to (i32.add (local.get $keys) (i32.shl (local.get $row) (i32.const 2))))
      (loop $along
        (f32.store (local.get $to)
          (f32.mul (f32.load (i32.add (local.get $k) (local.get $column))) (f32.const 0.17677669529663687)))
        (local.set $to (i32.add (local.get $to) (local.get $keyBytes)))
        (local.set $column (i32.add (local.get $column) (i32.const 4)))
        (br_if $along (i32.lt_u (local.get $column) (i32.const 128))))
      (local.set $k (i32.add (local.get $k) (local.get $stride)))
      (local.set $row (i32.add (local.get $row) (i32.const 1)))
      (br_if $transpose (i32.lt_u (local.get $row) (local.get $rows))))

    (local.set $row (i32.const 0))
    (loop $queries
      ;; Scores of four queries and eight keys at a time.
      (local.set $column (i32.const 0))
      (loop $eight
        (local.set $o0 (v128.const i64x2 0 0)) (local.set $o1 (v128.const i64x2 0 0))
        (local.set $o2 (v128.const i64x2 0 0)) (local.set $o3 (v128.const i64x2 0 0))
        (local.set $o4 (v128.const i64x2 0 0)) (local.set $o5 (v128.const i64x2 0 0))
        (local.set $o6 (v128.const i64x2 0 0)) (local.set $o7 (v128.const i64x2 0 0))
        (local.set $to (i32.add (local.get $keys) (local.get $column)))
        (local.set $at (local.get $q))
        (local.set $q1 (i32.add (local.get $at) (local.get $stride)))
        (local.set $q2 (i32.add (local.get $q1) (local.get $stride)))
        (local.set $q3 (i32.add (local.get $q2) (local.get $stride)))
        (local.set $end (i32.add (local.get $q) (i32.const 128)))
        (loop $dot
          (local.set $a (v128.load (local.get $to)))
          (local.set $b (v128.load offset=16 (local.get $to)))
          (local.set $x (v128.load32_splat (local.get $at)))
          (local.set $o0 (f32x4.add (local.get $o0) (f32x4.mul (local.get $a) (local.get $x))))
          (local.set $o1 (f32x4.add (local.get $o1) (f32x4.mul (local.get $b) (local.get $x))))
          (local.set $x (v128.load32_splat (local.get $q1)))
          (local.set $o2 (f32x4.add (local.get $o2) (f32x4.mul (local.get $a) (local.get $x))))
          (local.set $o3 (f32x4.add (local.get $o3) (f32x4.mul (local.get $b) (local.get $x))))
          (local.set $x (v128.load32_splat (local.get $q2)))
          (local.set $o4 (f32x4.add (local.get $o4) (f32x4.mul (local.get $a) (local.get $x))))
          (local.set $o5 (f32x4.add (local.get $o5) (f32x4.mul (local.get $b) (local.get $x))))
          (local.set $x (v128.load32_splat (local.get $q3)))
          (local.set $o6 (f32x4.add (local.get $o6) (f32x4.mul (local.get $a) (local.get $x))))
          (local.set $o7 (f32x4.add (local.get $o7) (f32x4.mul (local.get $b) (local.get $x))))
          (local.set $to (i32.add (local.get $to) (local.get $keyBytes)))
          (local.set $at (i32.add (local.get $at) (i32.const 4)))
          (local.set $q1 (i32.add (local.get $q1) (i32.const 4)))
          (local.set $q2 (i32.add (local.get $q2) (i32.const 4)))
          (local.set $q3 (i32.add (local.get $q3) (i32.const 4)))
          (br_if $dot (i32.lt_u (local.get $at) (local.get $end))))
        (local.set $to (i32.add (local.get $scores) (local.get $column)))
        (v128.store (local.get $to) (local.get $o0))
        (v128.store offset=16 (local.get $to) (local.get $o1))
        (local.set $to (i32.add (local.get $to) (local.get $keyBytes)))
        (v128.store (local.get $to) (local.get $o2))
        (v128.store offset=16 (local.get $to) (local.get $o3))
        (local.set $to (i32.add (local.get $to) (local.get $keyBytes)))
        (v128.store (local.get $to) (local.get $o4))
        (v128.store offset=16 (local.get $to) (local.get $o5))
        (local.set $to (i32.add (local.get $to) (local.get $keyBytes)))
        (v128.store (local.get $to) (local.get $o6))
        (v128.store offset=16 (local.get $to) (local.get $o7))
        (local.set $column (i32.add (local.get $column) (i32.const 32)))
        (br_if $eight (i32.lt_u (local.get $column) (local.get $keyBytes))))

      (local.set $line (local.get $scores))
      (local.set $last (i32.add (local.get $scores) (i32.shl (local.get $keyBytes) (i32.const 2))))
      (loop $query
        (local.set $at (local.get $rows))
        (block $none
          (loop $mask
            (br_if $none (i32.ge_u (local.get $at) (local.get $padded)))
            (f32.store (i32.add (local.get $line) (i32.shl (local.get $at) (i32.const 2))) (f32.const -1e30))
            (local.set $at (i32.add (local.get $at) (i32.const 1)))
            (br $mask)))
        (call $softmax (local.get $line) (local.get $keyBytes))

        ;; The values of all rows, weighted with the probabilities.
        (local.set $o0 (v128.const i64x2 0 0)) (local.set $o1 (v128.const i64x2 0 0))
        (local.set $o2 (v128.const i64x2 0 0)) (local.set $o3 (v128.const i64x2 0 0))
        (local.set $o4 (v128.const i64x2 0 0)) (local.set $o5 (v128.const i64x2 0 0))
        (local.set $o6 (v128.const i64x2 0 0)) (local.set $o7 (v128.const i64x2 0 0))
        (local.set $at (local.get $line))
        (local.set $end (i32.add (local.get $line) (i32.shl (local.get $rows) (i32.const 2))))
        (local.set $to (local.get $v))
        (loop $weigh
          (local.set $x (v128.load32_splat (local.get $at)))
          (local.set $o0 (f32x4.add (local.get $o0) (f32x4.mul (v128.load (local.get $to)) (local.get $x))))
          (local.set $o1 (f32x4.add (local.get $o1) (f32x4.mul (v128.load offset=16 (local.get $to)) (local.get $x))))
          (local.set $o2 (f32x4.add (local.get $o2) (f32x4.mul (v128.load offset=32 (local.get $to)) (local.get $x))))
          (local.set $o3 (f32x4.add (local.get $o3) (f32x4.mul (v128.load offset=48 (local.get $to)) (local.get $x))))
          (local.set $o4 (f32x4.add (local.get $o4) (f32x4.mul (v128.load offset=64 (local.get $to)) (local.get $x))))
          (local.set $o5 (f32x4.add (local.get $o5) (f32x4.mul (v128.load offset=80 (local.get $to)) (local.get $x))))
          (local.set $o6 (f32x4.add (local.get $o6) (f32x4.mul (v128.load offset=96 (local.get $to)) (local.get $x))))
          (local.set $o7 (f32x4.add (local.get $o7) (f32x4.mul (v128.load offset=112 (local.get $to)) (local.get $x))))
          (local.set $to (i32.add (local.get $to) (local.get $stride)))
          (local.set $at (i32.add (local.get $at) (i32.const 4)))
          (br_if $weigh (i32.lt_u (local.get $at) (local.get $end))))
        (v128.store (local.get $out) (local.get $o0))
        (v128.store offset=16 (local.get $out) (local.get $o1))
        (v128.store offset=32 (local.get $out) (local.get $o2))
        (v128.store offset=48 (local.get $out) (local.get $o3))
        (v128.store offset=64 (local.get $out) (local.get $o4))
        (v128.store offset=80 (local.get $out) (local.get $o5))
        (v128.store offset=96 (local.get $out) (local.get $o6))
        (v128.store offset=112 (local.get $out) (local.get $o7))
        (local.set $out (i32.add (local.get $out) (local.get $stride)))
        (local.set $line (i32.add (local.get $line) (local.get $keyBytes)))
        (br_if $query (i32.lt_u (local.get $line) (local.get $last))))
      (local.set $q (i32.add (local.get $q) (i32.shl (local.get $stride) (i32.const 2))))
      (local.set $row (i32.add (local.get $row) (i32.const 4)))
      (br_if $queries (i32.lt_u (local.get $row) (local.get $rows))))))
