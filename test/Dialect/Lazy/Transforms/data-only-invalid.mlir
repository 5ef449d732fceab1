// RUN: tinygrad-opt %s --lazy-schedule --lazy-materialize-buffers --split-input-file --verify-diagnostics

// What would take a kernel where none runs is an error where the user wrote it.

!host = tensor<2x2xf32, #lazy.type<device = "HOST">>

func.func @compute(%x: !host) -> !host {
  // expected-error@+1 {{expects values on a device that computes, got `HOST`, which holds data only: nothing but plain copies is done there; `lazy.copy` moves values to a device that computes, and results back}}
  %0 = lazy.neg %x : !host
  return %0 : !host
}

// -----

!host = tensor<2x2xf32, #lazy.type<device = "HOST">>

func.func @permuted_result(%x: !host) -> !host {
  %0 = lazy.permute %x [1, 0] : !host -> !host
  // expected-error@+1 {{expects values on a device that computes, got `HOST`}}
  return %0 : !host
}

// -----

!host = tensor<2x2xf32, #lazy.type<device = "HOST">>

func.func @constant(%x: !host) -> !host {
  %0 = lazy.const dense<1.0> : !host
  // expected-error@+1 {{expects values on a device that computes, got `HOST`}}
  return %0 : !host
}

// -----

!host = tensor<2x2xf32, #lazy.type<device = "HOST">>

func.func @permuted_value(%x: !host, %y: !host) {
  %0 = lazy.permute %y [1, 0] : !host -> !host
  // expected-error@+1 {{expects values on a device that computes, got `HOST`}}
  %1 = lazy.assign %x, %0 : !host
  return
}

// -----

!host = tensor<2x2xf32, #lazy.type<device = "HOST">>
!column = tensor<2x1xf32, #lazy.type<device = "HOST">>

func.func @column(%x: !host, %y: !column) {
  %0 = lazy.shrink %x begin [0, 0] end [2, 1] : !host -> !column
  // expected-error@+1 {{expects values on a device that computes, got `HOST`}}
  %1 = lazy.assign %0, %y : !column
  return
}

// -----

!file = tensor<4xf32, #lazy.type<device = "DISK:/tmp/x">>

func.func @file(%x: !file) -> !file {
  // expected-error@+1 {{expects values on a device that computes, got `DISK:/tmp/x`}}
  return %x : !file
}

// -----

!host = tensor<2x2xf32, #lazy.type<device = "HOST">>

func.func @callback(%x: !host) -> tensor<4xf32> {
  %0 = lazy.permute %x [1, 0] : !host -> !host
  // expected-error@+1 {{expects values on a device that computes, got `HOST`}}
  %1 = lazy.custom "fill"(%0) : (!host) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

!file = tensor<4xf32, #lazy.type<device = "DISK:/tmp/x">>

func.func @two_places(%file: !file, %x: tensor<4xf32>) -> !file {
  // expected-error@+1 {{'lazy.copy' op expects what is copied to a file to be assigned there or to be used otherwise, not both: a file has no second buffer}}
  %0 = lazy.copy %x : tensor<4xf32> -> !file
  %1 = lazy.assign %file, %0 : !file
  return %0 : !file
}
