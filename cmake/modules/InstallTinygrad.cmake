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
