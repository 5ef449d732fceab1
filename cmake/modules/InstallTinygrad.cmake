# What `cmake --install` copies, and the package that find_package(Tinygrad)
# finds in the build tree and in an installation.

include(CMakePackageConfigHelpers)

# The headers of the front end, and those that they include.
foreach(room Ops Shape Tensor)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/tinygrad/${room}"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/tinygrad"
    FILES_MATCHING PATTERN "*.h" PATTERN "*.def")
endforeach()
install(FILES "${PROJECT_SOURCE_DIR}/include/tinygrad/Runtime/Memory.h"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/tinygrad/Runtime")

install(TARGETS TinygradShared EXPORT TinygradTargets
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")

set(package "${CMAKE_INSTALL_LIBDIR}/cmake/Tinygrad")
set(build_package "${PROJECT_BINARY_DIR}/lib/cmake/Tinygrad")
configure_file("${PROJECT_SOURCE_DIR}/cmake/TinygradEngine.cmake.in"
  "${build_package}/TinygradEngine.cmake" @ONLY)
configure_file("${PROJECT_SOURCE_DIR}/cmake/modules/TinygradLinkMLIR.cmake"
  "${build_package}/TinygradLinkMLIR.cmake" COPYONLY)
configure_file("${PROJECT_SOURCE_DIR}/cmake/TinygradConfig.cmake"
  "${build_package}/TinygradConfig.cmake" COPYONLY)
# Until 1.0 a minor version may break interfaces.
write_basic_package_version_file("${build_package}/TinygradConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
export(EXPORT TinygradTargets NAMESPACE Tinygrad::
  FILE "${build_package}/TinygradTargets.cmake")
install(EXPORT TinygradTargets NAMESPACE Tinygrad:: DESTINATION "${package}")
install(FILES "${build_package}/TinygradConfig.cmake"
  "${build_package}/TinygradConfigVersion.cmake" DESTINATION "${package}")

# The component Engine: what is below the front end and the front end itself, as
# archives, for programs that add devices. It is installed where it is asked for,
# `cmake --install BUILD --component Engine`, and by nothing else. A library that
# one of these comes to link is added here; CMake names it.
set(engine_libraries
  TinygradConversion
  TinygradEngine
  TinygradLazyDialect
  TinygradLazyTransforms
  TinygradOps
  TinygradPipelines
  TinygradRuntime
  TinygradShape
  TinygradTargetCPU
  TinygradTargetCommon
  TinygradTensor
  TinygradThreadPool
)
# Tinygrad::Tensor is libtinygrad. A program that linked both would have two
# engines of the same name: CMake refuses it by this property.
set_target_properties(TinygradShared ${engine_libraries} PROPERTIES
  COMPATIBLE_INTERFACE_STRING TINYGRAD_FORM)
set_target_properties(TinygradShared PROPERTIES INTERFACE_TINYGRAD_FORM libtinygrad)
foreach(library IN LISTS engine_libraries)
  string(REGEX REPLACE "^Tinygrad" "" exported ${library})
  if(exported STREQUAL "Tensor")
    set(exported StaticTensor)
  endif()
  set_target_properties(${library} PROPERTIES
    EXPORT_NAME ${exported}
    INTERFACE_TINYGRAD_FORM archives)
  add_library(Tinygrad::${exported} ALIAS ${library})
endforeach()

set(engine_component COMPONENT Engine EXCLUDE_FROM_ALL)
install(TARGETS ${engine_libraries} EXPORT TinygradEngineTargets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" ${engine_component})
foreach(room Engine Runtime)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/tinygrad/${room}"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/tinygrad" ${engine_component}
    FILES_MATCHING PATTERN "*.h")
endforeach()
export(EXPORT TinygradEngineTargets NAMESPACE Tinygrad::
  FILE "${build_package}/TinygradEngineTargets.cmake")
install(EXPORT TinygradEngineTargets NAMESPACE Tinygrad::
  DESTINATION "${package}" ${engine_component})
install(FILES "${build_package}/TinygradEngine.cmake"
  "${build_package}/TinygradLinkMLIR.cmake" DESTINATION "${package}" ${engine_component})
