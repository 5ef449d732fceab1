# Policy of the build, in one place: compiler flags, and the functions that every
# folder calls. How MLIR and LLVM are linked is in TinygradLinkMLIR.cmake, which
# the package has too.

include_guard(GLOBAL)
include(TinygradLinkMLIR)

# --- Compiler and linker -----------------------------------------------------

find_program(TINYGRAD_CCACHE ccache)
if(TINYGRAD_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # A precompiled header is one more input of each compilation: ccache wants to
  # be told that its time stamp does not count.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      ${TINYGRAD_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${TINYGRAD_CCACHE})
endif()

find_program(TINYGRAD_LLD NAMES ld.lld HINTS "${LLVM_TOOLS_BINARY_DIR}" NO_DEFAULT_PATH)
if(NOT TINYGRAD_LLD)
  message(FATAL_ERROR "lld is missing: install the package lld-22")
endif()

# Imported targets are in no export set. The package has its own of this name,
# without what is of this build alone (TinygradEngine.cmake.in).
add_library(TinygradOptions INTERFACE IMPORTED GLOBAL)
set_target_properties(TinygradOptions PROPERTIES IMPORTED_NO_SYSTEM ON)
target_include_directories(TinygradOptions INTERFACE
  "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
  "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>")
target_compile_options(TinygradOptions INTERFACE
  -Wall -Wextra -Wno-unused-parameter -fvisibility-inlines-hidden
  -ffunction-sections -fdata-sections)
target_link_options(TinygradOptions INTERFACE
  "--ld-path=${TINYGRAD_LLD}" -Wl,--gc-sections)
if(TINYGRAD_ENABLE_WERROR)
  target_compile_options(TinygradOptions INTERFACE -Werror)
endif()
if(TINYGRAD_ENABLE_ASSERTIONS)
  # LLVM itself has none; LLVM_ENABLE_ABI_BREAKING_CHECKS is 0, so this is safe.
  target_compile_options(TinygradOptions INTERFACE -UNDEBUG)
else()
  target_compile_definitions(TinygradOptions INTERFACE NDEBUG)
endif()
if(TINYGRAD_SANITIZERS)
  target_compile_options(TinygradOptions INTERFACE
    -fsanitize=${TINYGRAD_SANITIZERS} -fno-sanitize=vptr,function -fno-omit-frame-pointer
    -fno-sanitize-recover=undefined)
  target_link_options(TinygradOptions INTERFACE -fsanitize=${TINYGRAD_SANITIZERS})
endif()

# --- Our libraries and programs ----------------------------------------------

# add_tinygrad_library(name sources... [LINK libs...] [DEPENDS targets...]
#                      [MLIR] [EXCEPTIONS] [PRECOMPILE headers...])
#
# MLIR: includes MLIR's headers, through the precompiled header of the target
#       TINYGRAD_PRECOMPILED.
# EXCEPTIONS: may throw; for the front end only.
# PRECOMPILE: what most of its files include; not with MLIR.
function(add_tinygrad_library name)
  cmake_parse_arguments(ARG "MLIR;EXCEPTIONS" "" "LINK;DEPENDS;PRECOMPILE" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  tinygrad_set_flags(${name} ${ARGN})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

# target_precompile_headers, such that ccache knows an unchanged header again.
function(tinygrad_precompile name)
  target_compile_options(${name} PRIVATE -Xclang -fno-pch-timestamp)
  target_precompile_headers(${name} ${ARGN})
endfunction()

# Flags of one target; takes the options of add_tinygrad_library.
function(tinygrad_set_flags name)
  cmake_parse_arguments(ARG "MLIR;EXCEPTIONS" "" "LINK;DEPENDS;PRECOMPILE" ${ARGN})
  target_link_libraries(${name} PUBLIC TinygradOptions)
  if(NOT ARG_EXCEPTIONS)
    target_compile_options(${name} PRIVATE -fno-exceptions)
  endif()
  if(ARG_MLIR)
    target_link_libraries(${name} PUBLIC TinygradMLIR)
    tinygrad_precompile(${name} REUSE_FROM ${TINYGRAD_PRECOMPILED})
  elseif(ARG_PRECOMPILE)
    tinygrad_precompile(${name} PRIVATE ${ARG_PRECOMPILE})
  endif()
endfunction()

# add_tinygrad_executable(name sources... [LINK libs...] [MLIR] [EXCEPTIONS]
#                         [PRECOMPILE headers...])
function(add_tinygrad_executable name)
  cmake_parse_arguments(ARG "MLIR;EXCEPTIONS" "" "LINK;DEPENDS;PRECOMPILE" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  # As the libraries and the precompiled header, not as -fPIE.
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE -fPIC)
  tinygrad_set_flags(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
endfunction()

# add_tinygrad_tool(name function sources... [LINK libs...] [MLIR])
# The program `name`: its sources define tinygrad::tools::function (tools/Tools.h)
# and go into libtinygrad, to which the program is linked.
function(add_tinygrad_tool name function)
  add_tinygrad_library(${name}-sources ${ARGN})
  set_property(GLOBAL APPEND PROPERTY TINYGRAD_TOOLS ${name}-sources)
  add_executable(${name} "${PROJECT_SOURCE_DIR}/tools/Main.cpp")
  target_compile_definitions(${name} PRIVATE TINYGRAD_TOOL=${function})
  target_link_libraries(${name} PRIVATE TinygradOptions TinygradShared)
  install(TARGETS ${name} EXPORT TinygradTargets
    RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endfunction()

# add_tinygrad_unittest(name sources... [LINK libs...] [MLIR] [EXCEPTIONS]
#                       [PRECOMPILE headers...])
# A GoogleTest program, in unittests/ of the build tree.
function(add_tinygrad_unittest name)
  cmake_parse_arguments(ARG "MLIR;EXCEPTIONS" "" "LINK;DEPENDS;PRECOMPILE" ${ARGN})
  add_tinygrad_executable(${name} ${ARGN})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/unittests")
  target_link_libraries(${name} PRIVATE GTest::gtest GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE TINYGRAD_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  add_test(NAME ${name} COMMAND ${name})
  set_property(GLOBAL APPEND PROPERTY TINYGRAD_UNITTESTS ${name})
endfunction()

# add_tinygrad_fuzzer(name sources... [LINK libs...] [MLIR] [EXCEPTIONS])
# A program around LLVMFuzzerTestOneInput, in fuzz/ of the build tree. Without
# libFuzzer it runs on the files of folders.
function(add_tinygrad_fuzzer name)
  set(fuzz "${PROJECT_SOURCE_DIR}/fuzz")
  if(TINYGRAD_SANITIZERS MATCHES "fuzzer")
    add_tinygrad_executable(${name} "${fuzz}/Sanitizers.cpp" ${ARGN})
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  else()
    add_tinygrad_executable(${name} "${fuzz}/Replay.cpp" ${ARGN})
  endif()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/fuzz")
  set_property(GLOBAL APPEND PROPERTY TINYGRAD_FUZZERS ${name})
endfunction()

# add_tinygrad_doc(Td "Folder" generator options...)
# A reference page from Td.td of the current folder, in docs/ of the build tree.
add_custom_target(tinygrad-doc)
function(add_tinygrad_doc td folder)
  set(LLVM_TARGET_DEFINITIONS ${td}.td)
  tablegen(MLIR ${td}.md ${ARGN} "-I${MLIR_MAIN_INCLUDE_DIR}" "-I${MLIR_INCLUDE_DIRS}")
  set(page "${PROJECT_BINARY_DIR}/docs/${folder}.md")
  add_custom_command(OUTPUT "${page}"
    COMMAND ${CMAKE_COMMAND} -E copy "${CMAKE_CURRENT_BINARY_DIR}/${td}.md" "${page}"
    DEPENDS "${CMAKE_CURRENT_BINARY_DIR}/${td}.md")
  add_custom_target(${folder}DocGen DEPENDS "${page}")
  add_dependencies(tinygrad-doc ${folder}DocGen)
endfunction()
