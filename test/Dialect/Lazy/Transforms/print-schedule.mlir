// RUN: tinygrad-opt %s --lazy-schedule=trace-rules --lazy-print-schedule -o /dev/null | FileCheck %s --match-full-lines --strict-whitespace --check-prefix=TABLE
// RUN: tinygrad-opt %s --tinygrad-schedule --lazy-print-schedule -o /dev/null | FileCheck %s --check-prefix=OUTLINED
// RUN: tinygrad-opt %s --lazy-schedule --lazy-print-schedule="format=dot output=%t.dot" -o /dev/null
// RUN: FileCheck %s --check-prefix=DOT < %t.dot
// RUN: tinygrad-opt %S/Inputs/traced.mlir --lazy-print-schedule -o /dev/null | FileCheck %s --check-prefix=TRACED
// RUN: not tinygrad-opt %s --lazy-print-schedule=format=svg 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: not tinygrad-opt %s --lazy-print-schedule=output=%t/none/file 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: tinygrad-opt %s --lazy-print-schedule -o /dev/null | FileCheck %s --check-prefix=GRAPH
// RUN: tinygrad-opt %s --lazy-print-schedule=format=dot -o /dev/null | FileCheck %s --check-prefix=GRAPH-DOT

// GRAPH:     @main: not scheduled; `lazy-schedule` forms the kernels
// GRAPH-NOT: {{.}}
// GRAPH-DOT: label="@main (not scheduled)";
// FORMAT: error: expects option `format` to be `table` or `dot`, got `svg`
// FILE: error: cannot open output file

// A product that a sum reads: two operations per element. The random tensor is
// an item, but no kernel. What the padded constant is read from is none.
//      TABLE:@main: 2 kernels, 180 bytes read, 176 bytes written, 104 operations
// TABLE-NEXT:  #  name         shape  inputs   read  written  operations  rules
// TABLE-NEXT:  0  custom rand  -      arg1
// TABLE-NEXT:  1  r_4_8        4x8    arg0 0    160       16          64  MER
// TABLE-NEXT:  2  e_4_10       4x10   1 const    20      160          40  CST
//  TABLE-NOT:{{.}}

// The same after planning memory: names and numbers, but no rules. The padded
// constant is copied into a buffer.
// OUTLINED:      @main: 3 kernels, {{.*}} operations, 48 bytes allocated at the peak{{$}}
// OUTLINED-NEXT: # name
// OUTLINED-NEXT: 0 custom rand - arg1{{$}}
// OUTLINED-NEXT: 1 r_4_8 4x8 arg0 0 160 16 64{{$}}
// OUTLINED-NEXT: 2 copy 1 0 4 0{{$}}
// OUTLINED-NEXT: 3 e_4_10 4x10 1 2 20 160 40{{$}}
// OUTLINED-NOT:  {{.}}

// A schedule from a file.
// TRACED:      @main: 1 kernel, 48 bytes read, 16 bytes written, 24 operations
// TRACED-NEXT: # name
// TRACED-NEXT: 0 r_4_3 4x3 arg0 48 16 24 MER

// DOT: digraph schedule {
// DOT: subgraph "cluster_f0" {
// DOT: label="@main";
// DOT: "f0_0" [label="custom rand", shape=box];
// DOT: subgraph "cluster_f0_1" {
// DOT-NEXT: label="r_4_8";
// DOT: "f0_1_[[MUL:[0-9]+]]" [label="mul", shape=box];
// DOT: "f0_1_[[SUM:[0-9]+]]" [label="reduce_sum", shape=box];
// DOT: "f0_1" [label="store {{.*}}", shape=box];
// DOT: }
// DOT: subgraph "cluster_f0_2" {
// DOT: "f0_result0" [label="result 0", shape=ellipse];
// DOT: "f0_arg0" [label="argument 0", shape=ellipse];
// DOT: "f0_arg1" -> "f0_0";
// DOT-DAG: "f0_arg0" -> "f0_1_{{[0-9]+}}";
// DOT-DAG: "f0_0" -> "f0_1_{{[0-9]+}}";
// DOT-DAG: "f0_1_[[MUL]]" -> "f0_1_[[SUM]]";
// DOT-DAG: "f0_1_[[SUM]]" -> "f0_1";
// DOT-DAG: "f0_1" -> "f0_2_{{[0-9]+}}";
// DOT: "f0_2" -> "f0_result0";
// DOT-NEXT: }
// DOT-NEXT: }
func.func @main(%x: tensor<4x8xf32>, %seed: tensor<i64>) -> tensor<4x10xf32> {
  %r = lazy.custom "rand"(%seed) : (tensor<i64>) -> tensor<8xf32>
  %r1 = lazy.reshape %r : tensor<8xf32> -> tensor<1x8xf32>
  %r2 = lazy.expand %r1 : tensor<1x8xf32> -> tensor<4x8xf32>
  %m = lazy.mul %x, %r2 : tensor<4x8xf32>
  %s = lazy.reduce_sum %m : tensor<4x8xf32> -> tensor<4x1xf32>
  %s1 = lazy.expand %s : tensor<4x1xf32> -> tensor<4x10xf32>
  %c = lazy.const dense<2.0> : tensor<4x8xf32>
  %p = lazy.pad %c low [0, 1] high [0, 1] : tensor<4x8xf32> -> tensor<4x10xf32>
  %a = lazy.add %s1, %p : tensor<4x10xf32>
  return %a : tensor<4x10xf32>
}
