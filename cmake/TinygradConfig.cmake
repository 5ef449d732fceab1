# find_package(Tinygrad): the target Tinygrad::Tensor, the C++ front end, in a
# build tree or an installation. It needs no LLVM and no MLIR.

include("${CMAKE_CURRENT_LIST_DIR}/TinygradTargets.cmake")
