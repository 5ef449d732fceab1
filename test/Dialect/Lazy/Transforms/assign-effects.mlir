// What writes into an argument stays, in each stage, where nothing uses its
// result.
// RUN: tinygrad-opt %s --canonicalize --cse | FileCheck %s --check-prefix=GRAPH
// RUN: tinygrad-opt %s --lazy-schedule | tinygrad-opt --canonicalize --cse | FileCheck %s --check-prefix=KERNELS
// RUN: tinygrad-opt %s --lazy-schedule | tinygrad-opt --canonicalize --lazy-schedule --lazy-materialize-buffers --lazy-plan-memory --lazy-verify-schedule --canonicalize | FileCheck %s --check-prefix=MEMORY

// GRAPH-LABEL: func.func @whole
// GRAPH: lazy.assign %arg0
// KERNELS-LABEL: func.func @whole
// KERNELS: lazy.kernel {{.*}} outs(%arg0
// MEMORY-LABEL: func.func @whole
// MEMORY: lazy.kernel {{.*}} outs(%arg0
func.func @whole(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %a = lazy.add %x, %y : tensor<4xf32>
  %r = lazy.assign %x, %a : tensor<4xf32>
  return
}

// GRAPH-LABEL: func.func @part
// GRAPH: lazy.assign %{{.*}}, %arg1
// KERNELS-LABEL: func.func @part
// KERNELS: lazy.assign
// MEMORY-LABEL: func.func @part
// MEMORY: lazy.kernel {{.*}} outs(%arg0
func.func @part(%x: tensor<4xf32>, %y: tensor<2xf32>) {
  %v = lazy.shrink %x begin [0] end [2] : tensor<4xf32> -> tensor<2xf32>
  %r = lazy.assign %v, %y : tensor<2xf32>
  return
}

// GRAPH-LABEL: func.func @twice
// GRAPH: lazy.assign %arg0, %arg1
// GRAPH: lazy.assign %arg0, %arg1
// KERNELS-LABEL: func.func @twice
// KERNELS: lazy.assign %arg0, %arg1
// MEMORY-LABEL: func.func @twice
// MEMORY: lazy.kernel {{.*}} outs(%arg0
func.func @twice(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %r = lazy.assign %x, %y : tensor<4xf32>
  %s = lazy.assign %x, %y : tensor<4xf32>
  return
}
