# find_package(Tinygrad): the target Tinygrad::Tensor, the C++ front end, in a
# build tree or an installation. It needs no LLVM and no MLIR.
#
# find_package(Tinygrad COMPONENTS Engine) adds what is below the front end, as
# archives, and looks for MLIR: see TinygradEngine.cmake.

include("${CMAKE_CURRENT_LIST_DIR}/TinygradTargets.cmake")

foreach(component IN LISTS Tinygrad_FIND_COMPONENTS)
  if(component STREQUAL "Tensor")
    set(Tinygrad_Tensor_FOUND TRUE)
  elseif(NOT component STREQUAL "Engine")
    set(Tinygrad_NOT_FOUND_MESSAGE "Tinygrad has no component ${component}")
  elseif(EXISTS "${CMAKE_CURRENT_LIST_DIR}/TinygradEngine.cmake")
    include("${CMAKE_CURRENT_LIST_DIR}/TinygradEngine.cmake")
  else()
    set(Tinygrad_NOT_FOUND_MESSAGE
      "the component Engine is not installed: cmake --install BUILD --component Engine installs it")
  endif()
  if(NOT Tinygrad_${component}_FOUND AND Tinygrad_FIND_REQUIRED_${component})
    set(Tinygrad_FOUND FALSE)
  endif()
endforeach()
