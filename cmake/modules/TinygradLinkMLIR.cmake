# How our archives are linked with MLIR and LLVM, static or shared: for the build
# and, as a part of the package, for projects that link the component Engine.

include_guard(GLOBAL)

# Appends to `out` the archives of `target` and of all it links, in the order of
# a walk. The exported targets name the shared libLLVM: it is left out, and the
# component archives stand in for it.
function(tinygrad_collect_archives target out)
  get_property(seen GLOBAL PROPERTY TINYGRAD_SEEN_${out})
  if(target IN_LIST seen)
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY TINYGRAD_SEEN_${out} ${target})
  get_target_property(location ${target} LOCATION)
  set_property(GLOBAL APPEND PROPERTY TINYGRAD_ARCHIVES_${out} "${location}")
  get_target_property(links ${target} INTERFACE_LINK_LIBRARIES)
  foreach(link IN LISTS links)
    if(TARGET ${link} AND NOT link STREQUAL "LLVM" AND NOT link STREQUAL "MLIR")
      get_target_property(type ${link} TYPE)
      if(type STREQUAL "STATIC_LIBRARY")
        tinygrad_collect_archives(${link} ${out})
      endif()
    endif()
  endforeach()
endfunction()

# Defines the interface library `name`: MLIR libraries MLIR_LIBS and LLVM
# COMPONENTS, static or shared as TINYGRAD_MLIR_LINK says. It is imported, so
# that exported targets name it and the package defines it anew where LLVM may be
# in another folder.
function(add_tinygrad_mlir_interface name)
  cmake_parse_arguments(ARG "" "" "MLIR_LIBS;COMPONENTS" ${ARGN})
  add_library(${name} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${name} SYSTEM INTERFACE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
  if(TINYGRAD_MLIR_LINK STREQUAL "shared")
    target_link_libraries(${name} INTERFACE MLIR LLVM)
    return()
  endif()
  foreach(lib IN LISTS ARG_MLIR_LIBS)
    tinygrad_collect_archives(${lib} ${name})
  endforeach()
  llvm_map_components_to_libnames(llvm_libs ${ARG_COMPONENTS})
  foreach(lib IN LISTS llvm_libs)
    tinygrad_collect_archives(${lib} ${name})
  endforeach()
  get_property(archives GLOBAL PROPERTY TINYGRAD_ARCHIVES_${name})
  # The order is no linker's but lld's: the others search the group repeatedly.
  list(JOIN archives "," archives)
  target_link_libraries(${name} INTERFACE
    "$<LINK_GROUP:RESCAN,${archives}>" z zstd pthread dl m)
endfunction()

# Defines what our archives name: TinygradLLVM, and TinygradMLIR with MLIR too.
function(add_tinygrad_mlir_targets)
  add_tinygrad_mlir_interface(TinygradLLVM
    COMPONENTS irreader nativecodegen orcjit passes x86asmparser)
  add_tinygrad_mlir_interface(TinygradMLIR
    MLIR_LIBS
      MLIRAffineToStandard MLIRAffineTransforms MLIRArithToLLVM MLIRArithTransforms
      MLIRBuiltinToLLVMIRTranslation MLIRControlFlowToLLVM MLIRFuncAllExtensions
      MLIRFuncToLLVM MLIRFuncTransforms
      MLIRGPUDialect MLIRGPUToLLVMIRTranslation MLIRGPUToLLVMSPV
      MLIRGPUToNVVMTransforms MLIRIndexToLLVM MLIRLLVMIRTransforms
      MLIRLLVMToLLVMIRTranslation MLIRMathToLLVM MLIRMathToLibm MLIRMathTransforms
      MLIRMemRefToLLVM MLIRMemRefTransforms MLIRNVVMToLLVM
      MLIRNVVMToLLVMIRTranslation MLIRReconcileUnrealizedCasts
      MLIRSCFToControlFlow MLIRSCFTransforms MLIRTransforms MLIRUBToLLVM
      MLIRVectorToLLVMPass MLIRVectorToSCF MLIRVectorTransforms
      MLIROptLib MLIRToLLVMIRTranslationRegistration MLIRTranslateLib MLIRTargetLLVMIRExport
    COMPONENTS irreader nativecodegen orcjit passes x86asmparser)
endfunction()
