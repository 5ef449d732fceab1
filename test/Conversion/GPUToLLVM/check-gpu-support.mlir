// RUN: tinygrad-opt %s --pass-pipeline='builtin.module(gpu.module(check-gpu-support{target=device lacks=f64,math.sin:f16,arith.divui:i64}))' --split-input-file --verify-diagnostics

// What is not named passes: also a division of an `index` that has 32 bits.
gpu.module @good attributes {dlti.dl_spec = #dlti.dl_spec<index = 32 : i64>} {
  gpu.func @good(%x: f32, %y: f16, %z: i32, %i: index) kernel {
    %0 = math.sin %x : f32
    %1 = math.exp %y : f16
    %2 = arith.divui %z, %z : i32
    %3 = arith.divui %i, %i : index
    gpu.return
  }
}

// -----

gpu.module @type {
  gpu.func @type(%x: memref<4xf64>, %i: index) kernel {
    // expected-error@+1 {{'memref.load' op on f64 is not supported by the target `device`}}
    %0 = memref.load %x[%i] : memref<4xf64>
    gpu.return
  }
}

// -----

gpu.module @operation {
  gpu.func @operation(%x: f16) kernel {
    // expected-error@+1 {{'math.sin' op on f16 is not supported by the target `device`}}
    %0 = math.sin %x : f16
    gpu.return
  }
}

// -----

gpu.module @index attributes {dlti.dl_spec = #dlti.dl_spec<index = 64 : i64>} {
  gpu.func @index(%i: index) kernel {
    // expected-error@+1 {{'arith.divui' op on i64 is not supported by the target `device`}}
    %0 = arith.divui %i, %i : index
    gpu.return
  }
}

// -----

// No kernel has numbers of this type.
gpu.module @odd {
  gpu.func @odd(%x: memref<4xi100>, %i: index) kernel {
    // expected-error@+1 {{'memref.load' op on i100 is not supported by the target `device`}}
    %0 = memref.load %x[%i] : memref<4xi100>
    gpu.return
  }
}

// -----

gpu.module @unused {
  // expected-error@+1 {{'gpu.func' op on f80 is not supported by the target `device`}}
  gpu.func @unused(%x: memref<4xf80>) kernel {
    gpu.return
  }
}
