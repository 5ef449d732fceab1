# Writes a header with a hash of the files INPUTS to OUTPUT.

set(hashes "")
foreach(input IN LISTS INPUTS)
  file(SHA256 "${input}" hash)
  string(APPEND hashes "${hash}\n")
endforeach()
string(SHA256 hash "${hashes}")
string(SUBSTRING "${hash}" 0 32 hash)
file(WRITE "${OUTPUT}" "#define TINYGRAD_BUILD_ID \"${hash}\"\n")
