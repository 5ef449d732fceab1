// RUN: tinygrad-opt %s --pass-pipeline='builtin.module(gpu.module(convert-gpu-to-cuda,canonicalize))' | FileCheck %s --check-prefix=CUDA
// RUN: tinygrad-opt %s --pass-pipeline='builtin.module(gpu.module(convert-gpu-to-opencl,canonicalize))' | FileCheck %s --check-prefix=OPENCL --implicit-check-not=bf16

// A buffer is one pointer, and `index` is as wide as the module says.
// CUDA-LABEL: gpu.module @narrow
// CUDA:         llvm.func @narrow(%[[X:.*]]: !llvm.ptr<1>, %[[Y:.*]]: !llvm.ptr<1>) attributes {{.*}}nvvm.kernel
// CUDA:           %[[BLOCK:.*]] = nvvm.read.ptx.sreg.ctaid.x
// CUDA:           %[[SIZE:.*]] = nvvm.read.ptx.sreg.ntid.x
// CUDA:           %[[BASE:.*]] = llvm.mul %[[BLOCK]], %[[SIZE]] : i32
// CUDA:           %[[ID:.*]] = llvm.add {{.*}} : i32
// CUDA:           llvm.getelementptr {{.*}}%[[X]][%[[ID]]] : (!llvm.ptr<1>, i32)
// CUDA:           llvm.intr.sqrt
// OPENCL-LABEL: gpu.module @narrow
// OPENCL:         llvm.func spir_kernelcc @narrow(%[[X:.*]]: !llvm.ptr<1>, %[[Y:.*]]: !llvm.ptr<1>) attributes {{.*}}reqd_work_group_size = array<i32: 64, 1, 1>
// OPENCL:           %[[ID:.*]] = llvm.call spir_funccc @_Z13get_global_idj({{.*}}) {{.*}} : (i32) -> i32
// OPENCL:           llvm.getelementptr {{.*}}%[[X]][%[[ID]]] : (!llvm.ptr<1>, i32)
// OPENCL:           llvm.intr.sqrt
gpu.module @narrow attributes {dlti.dl_spec = #dlti.dl_spec<index = 32 : i64>} {
  gpu.func @narrow(%x: memref<64xf32, #gpu.address_space<global>>, %y: memref<64xf32, #gpu.address_space<global>>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %id = gpu.global_id x
    %0 = memref.load %x[%id] : memref<64xf32, #gpu.address_space<global>>
    %1 = math.sqrt %0 : f32
    memref.store %1, %y[%id] : memref<64xf32, #gpu.address_space<global>>
    gpu.return
  }
}

// CUDA-LABEL: gpu.module @wide
// CUDA:         llvm.mul {{.*}} : i64
// OPENCL-LABEL: gpu.module @wide
// OPENCL:         llvm.call spir_funccc @_Z13get_global_idj({{.*}}) {{.*}} : (i32) -> i64
gpu.module @wide attributes {dlti.dl_spec = #dlti.dl_spec<index = 64 : i64>} {
  gpu.func @wide(%x: memref<64xf32, #gpu.address_space<global>>) kernel {
    %id = gpu.global_id x
    %0 = arith.constant 1.0 : f32
    memref.store %0, %x[%id] : memref<64xf32, #gpu.address_space<global>>
    gpu.return
  }
}

// SPIR-V has no bf16: it is its bits, also as a constant and between blocks.
// CUDA-LABEL: gpu.module @half
// CUDA:         llvm.fptrunc {{.*}} : f32 to bf16
// OPENCL-LABEL: gpu.module @half
// OPENCL:         %[[ONE:.*]] = llvm.mlir.constant(16256 : i16) : i16
// OPENCL:         %[[LOAD:.*]] = llvm.load {{.*}} -> i16
// OPENCL:         llvm.cond_br %{{.*}}, ^[[NEXT:.*]](%[[LOAD]] : i16), ^[[NEXT]](%[[ONE]] : i16)
// OPENCL:       ^[[NEXT]](%[[HALF:.*]]: i16):
// OPENCL:         %[[BITS:.*]] = llvm.zext %[[HALF]] : i16 to i32
// OPENCL:         %[[SHIFTED:.*]] = llvm.shl %[[BITS]]
// OPENCL:         %[[WIDE:.*]] = llvm.bitcast %[[SHIFTED]] : i32 to f32
// OPENCL:         %[[SUM:.*]] = llvm.fadd %[[WIDE]], %[[WIDE]]
// OPENCL:         %[[SUM_BITS:.*]] = llvm.bitcast %[[SUM]] : f32 to i32
// OPENCL:         %[[ROUNDED:.*]] = llvm.lshr
// OPENCL:         llvm.trunc %{{.*}} : i32 to i16
// OPENCL:         llvm.store %{{.*}} : i16
gpu.module @half attributes {dlti.dl_spec = #dlti.dl_spec<index = 32 : i64>} {
  gpu.func @half(%x: memref<4xbf16, #gpu.address_space<global>>, %c: i1) kernel {
    %id = gpu.global_id x
    %0 = memref.load %x[%id] : memref<4xbf16, #gpu.address_space<global>>
    %1 = arith.constant 1.0 : bf16
    cf.cond_br %c, ^next(%0 : bf16), ^next(%1 : bf16)
  ^next(%2: bf16):
    %3 = arith.extf %2 : bf16 to f32
    %4 = arith.addf %3, %3 : f32
    %5 = arith.truncf %4 : f32 to bf16
    memref.store %5, %x[%id] : memref<4xbf16, #gpu.address_space<global>>
    gpu.return
  }
}

// An integer becomes a bf16 without a float between them: that would round twice.
// CUDA-LABEL: gpu.module @integer
// CUDA:         llvm.uitofp {{.*}} : i32 to bf16
// OPENCL-LABEL: gpu.module @integer
// OPENCL-NOT:     uitofp
// OPENCL:         "llvm.intr.ctlz"
// OPENCL:         llvm.store %{{.*}} : i16
gpu.module @integer attributes {dlti.dl_spec = #dlti.dl_spec<index = 32 : i64>} {
  gpu.func @integer(%x: memref<4xbf16, #gpu.address_space<global>>, %n: i32) kernel {
    %id = gpu.global_id x
    %0 = arith.uitofp %n : i32 to bf16
    memref.store %0, %x[%id] : memref<4xbf16, #gpu.address_space<global>>
    gpu.return
  }
}
