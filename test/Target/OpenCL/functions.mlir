// REQUIRES: opencl, numpy
// RUN: rm -rf %t && mkdir -p %t
// RUN: %{npy} make %t/x.npy "np.concatenate([np.linspace(-20, 20, 1000), [0, -0.0, np.inf, -np.inf, np.nan, 1e30]]).astype('f4')"
// RUN: tinygrad-translate --kernel-to-spirv --kernel=e_1006 %s -o %t/f.spv
// RUN: %{run} %t/f.spv e_1006 --input %t/x.npy --output %t/f.npy=1006xfloat32
// RUN: %{npy} check %t/f.npy "(np.sin(x.astype('f8')) + np.exp2(x.astype('f8')) + np.log2(np.abs(x.astype('f8'))) + np.sqrt(np.abs(x))).astype('f4')" x=%t/x.npy --rtol 1e-5 --atol 1e-5

// The functions of OpenCL, together in one kernel.
func.func @functions(%x: tensor<1006xf32>) -> tensor<1006xf32> {
  %n = lazy.neg %x : tensor<1006xf32>
  %a = lazy.max %x, %n : tensor<1006xf32>
  %0 = lazy.sin %x : tensor<1006xf32>
  %1 = lazy.exp2 %x : tensor<1006xf32>
  %2 = lazy.log2 %a : tensor<1006xf32>
  %3 = lazy.sqrt %a : tensor<1006xf32>
  %4 = lazy.add %0, %1 : tensor<1006xf32>
  %5 = lazy.add %4, %2 : tensor<1006xf32>
  %6 = lazy.add %5, %3 : tensor<1006xf32>
  return %6 : tensor<1006xf32>
}
