// RUN: tinygrad-opt %s --lazy-schedule --lazy-materialize-buffers --lazy-plan-memory --lazy-verify-schedule --split-input-file | FileCheck %s

// Where no kernel runs, an assign is a copy.

!host = tensor<4xf32, #lazy.type<device = "HOST">>

// CHECK-LABEL: func.func @whole
// CHECK-SAME:    (%[[H:.*]]: memref<4xf32> {lazy.device = "HOST"}, %[[X:.*]]: memref<4xf32>)
// CHECK-NEXT:    lazy.copy %[[X]] into %[[H]] {{.*}} : memref<4xf32>, memref<4xf32>
// CHECK-NEXT:    return
func.func @whole(%h: !host, %x: tensor<4xf32>) {
  %0 = lazy.copy %x : tensor<4xf32> -> !host
  %1 = lazy.assign %h, %0 : !host
  return
}

// -----

!host = tensor<4xf32, #lazy.type<device = "HOST">>

// The copy is a value of its own where something else needs it.
// CHECK-LABEL: func.func @used_copy
// CHECK-SAME:    (%[[H:.*]]: memref<4xf32> {{.*}}, %[[X:.*]]: memref<4xf32>, %[[R:.*]]: memref<4xf32> {{.*}})
// CHECK-NEXT:    lazy.copy %[[X]] into %[[R]]
// CHECK-NEXT:    lazy.copy %[[R]] into %[[H]]
// CHECK-NEXT:    return
func.func @used_copy(%h: !host, %x: tensor<4xf32>) -> !host {
  %0 = lazy.copy %x : tensor<4xf32> -> !host
  %1 = lazy.assign %h, %0 : !host
  return %0 : !host
}

// -----

!host = tensor<4xf32, #lazy.type<device = "HOST">>

// CHECK-LABEL: func.func @swap
// CHECK-SAME:    (%[[X:.*]]: memref<4xf32> {{.*}}, %[[Y:.*]]: memref<4xf32> {{.*}})
// CHECK-NEXT:    %[[OLD:.*]] = memref.alloc() {lazy.device = "HOST"}
// CHECK-NEXT:    lazy.copy %[[X]] into %[[OLD]]
// CHECK-NEXT:    lazy.copy %[[Y]] into %[[X]]
// CHECK-NEXT:    lazy.copy %[[OLD]] into %[[Y]]
func.func @swap(%x: !host, %y: !host) {
  %0 = lazy.assign %x, %y : !host
  %1 = lazy.assign %y, %x : !host
  return
}

// -----

!file = tensor<4xf32, #lazy.type<device = "DISK:/tmp/x">>
!part = tensor<2xf32, #lazy.type<device = "DISK:/tmp/x">>

// Parts of a file, one of them with what the file held before.
// CHECK-LABEL: func.func @parts
// CHECK-SAME:    (%[[F:.*]]: memref<4xf32> {lazy.device = "DISK:/tmp/x"}, %[[X:.*]]: memref<2xf32>)
// CHECK-NEXT:    %[[OLD:.*]] = memref.alloc() {lazy.device = "HOST"}
// CHECK-NEXT:    lazy.copy %[[F]] into %[[OLD]]
// CHECK-NEXT:    lazy.copy %[[X]] into %[[F]] at 1 size 2 {lazy.versions = array<i64: {{.*}}>}
// CHECK-NEXT:    lazy.copy %[[OLD]] offset 1 into %[[F]] size 2 {lazy.versions = array<i64: {{.*}}>}
func.func @parts(%file: !file, %x: tensor<2xf32>) {
  %0 = lazy.shrink %file begin [1] end [3] : !file -> !part
  %1 = lazy.copy %x : tensor<2xf32> -> !part
  %2 = lazy.assign %0, %1 : !part
  %3 = lazy.shrink %file begin [0] end [2] : !file -> !part
  %4 = lazy.assign %3, %0 : !part
  return
}

// -----

!host = tensor<4xf32, #lazy.type<device = "HOST">>
!part = tensor<2xf32, #lazy.type<device = "HOST">>

// A part that overlaps with what is written there.
// CHECK-LABEL: func.func @overlap
// CHECK-SAME:    (%[[X:.*]]: memref<4xf32> {{.*}})
// CHECK-NEXT:    %[[OLD:.*]] = memref.alloc() {lazy.device = "HOST"}
// CHECK-NEXT:    lazy.copy %[[X]] into %[[OLD]]
// CHECK-NEXT:    lazy.copy %[[OLD]] offset 1 into %[[X]] size 2
func.func @overlap(%x: !host) {
  %0 = lazy.shrink %x begin [0] end [2] : !host -> !part
  %1 = lazy.shrink %x begin [1] end [3] : !host -> !part
  %2 = lazy.assign %0, %1 : !part
  return
}

// -----

#i = #lazy.variable<i, 1, 8>
!host = tensor<?xf32, #lazy.type<device = "HOST", dims = [#i]>>
!cpu = tensor<?xf32, #lazy.type<dims = [#i]>>

// CHECK-LABEL: func.func @symbolic
// CHECK:         lazy.copy %{{.*}} into %{{.*}} {lazy.versions = array<i64: {{.*}}>} : memref<?xf32>, memref<?xf32>
func.func @symbolic(%n: index {lazy.variable = #i}, %h: !host, %x: !cpu) {
  %0 = lazy.copy %x : !cpu -> !host
  %1 = lazy.assign %h, %0 : !host
  return
}
