//===- HostSymbols.cpp - What a program may call --------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostSymbols.h"

#include "HalfConversions.h"
#include "tinygrad/Runtime/ThreadPool.h"

#include "llvm/ADT/STLExtras.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

using namespace tinygrad::runtime;

// Of the compiler's own library: what it calls for 128-bit integers and powi.
extern "C" {
__int128 __divti3(__int128, __int128);
__int128 __modti3(__int128, __int128);
unsigned __int128 __udivti3(unsigned __int128, unsigned __int128);
unsigned __int128 __umodti3(unsigned __int128, unsigned __int128);
__int128 __fixsfti(float);
__int128 __fixdfti(double);
unsigned __int128 __fixunssfti(float);
unsigned __int128 __fixunsdfti(double);
float __floattisf(__int128);
double __floattidf(__int128);
float __floatuntisf(unsigned __int128);
double __floatuntidf(unsigned __int128);
float __powisf2(float, int);
double __powidf2(double, int);
}

namespace {
struct HostSymbol {
  llvm::StringLiteral name;
  void *address;
};
} // namespace

template <typename Function>
static void *getAddress(Function *function) {
  return reinterpret_cast<void *>(function);
}

/// The double and the float version of a function of libm. The header
/// overloads the name, so the type picks one.
#define MATH(name, type, floatType)                                            \
  {#name, getAddress<type>(&::name)}, {                                        \
    #name "f", getAddress<floatType>(&::name##f)                               \
  }
#define MATH1(name) MATH(name, double(double), float(float))
#define MATH2(name) MATH(name, double(double, double), float(float, float))

/// Returns the address of a symbol that every program has.
static void *lookupKnownSymbol(llvm::StringRef name) {
  static const HostSymbol symbols[] = {
      {"tg_parallel_for", getAddress(&tg_parallel_for)},

      {"__extendhfsf2", getAddress(&extendHalfToFloat)},
      {"__extendhfdf2", getAddress(&extendHalfToDouble)},
      {"__truncsfhf2", getAddress(&truncateFloatToHalf)},
      {"__truncdfhf2", getAddress(&truncateDoubleToHalf)},
      {"__extendbfsf2", getAddress(&extendBFloatToFloat)},
      {"__truncsfbf2", getAddress(&truncateFloatToBFloat)},
      {"__truncdfbf2", getAddress(&truncateDoubleToBFloat)},
      {"__divti3", getAddress(&__divti3)},
      {"__modti3", getAddress(&__modti3)},
      {"__udivti3", getAddress(&__udivti3)},
      {"__umodti3", getAddress(&__umodti3)},
      {"__fixsfti", getAddress(&__fixsfti)},
      {"__fixdfti", getAddress(&__fixdfti)},
      {"__fixunssfti", getAddress(&__fixunssfti)},
      {"__fixunsdfti", getAddress(&__fixunsdfti)},
      {"__floattisf", getAddress(&__floattisf)},
      {"__floattidf", getAddress(&__floattidf)},
      {"__floatuntisf", getAddress(&__floatuntisf)},
      {"__floatuntidf", getAddress(&__floatuntidf)},
      {"__powisf2", getAddress(&__powisf2)},
      {"__powidf2", getAddress(&__powidf2)},

      {"memcmp", getAddress<int(const void *, const void *, size_t)>(&memcmp)},
      {"memcpy", getAddress(&memcpy)},
      {"memmove", getAddress(&memmove)},
      {"memset", getAddress(&memset)},
      {"aligned_alloc", getAddress(&aligned_alloc)},
      {"calloc", getAddress(&calloc)},
      {"free", getAddress(&free)},
      {"malloc", getAddress(&malloc)},
      {"realloc", getAddress(&realloc)},

      // clang-format off
      MATH1(acos), MATH1(acosh), MATH1(asin), MATH1(asinh), MATH1(atan),
      MATH1(atanh), MATH1(cbrt), MATH1(ceil), MATH1(cos), MATH1(cosh),
      MATH1(erf), MATH1(erfc), MATH1(exp), MATH1(exp2), MATH1(expm1),
      MATH1(fabs), MATH1(floor), MATH1(lgamma), MATH1(log), MATH1(log10),
      MATH1(log1p), MATH1(log2), MATH1(nearbyint), MATH1(rint), MATH1(round),
      MATH1(sin), MATH1(sinh), MATH1(sqrt), MATH1(tan), MATH1(tanh),
      MATH1(tgamma), MATH1(trunc),
      MATH2(atan2), MATH2(copysign), MATH2(fdim), MATH2(fmax), MATH2(fmin),
      MATH2(fmod), MATH2(hypot), MATH2(nextafter), MATH2(pow),
      MATH2(remainder),
      MATH(fma, double(double, double, double), float(float, float, float)),
      MATH(frexp, double(double, int *), float(float, int *)),
      MATH(ldexp, double(double, int), float(float, int)),
      MATH(modf, double(double, double *), float(float, float *)),
#ifdef __GLIBC__
      MATH1(exp10), MATH1(roundeven),
      MATH(sincos, void(double, double *, double *),
           void(float, float *, float *)),
#endif
      // clang-format on
  };
  const HostSymbol *symbol = llvm::find_if(
      symbols, [&](const HostSymbol &symbol) { return symbol.name == name; });
  return symbol == std::end(symbols) ? nullptr : symbol->address;
}

#undef MATH2
#undef MATH1
#undef MATH

void *tinygrad::runtime::lookupHostSymbol(llvm::StringRef name) {
  if (void *address = lookupKnownSymbol(name))
    return address;
  // Only in these two: the process holds much that is no business of programs.
#ifdef __APPLE__
  const char *libraries[] = {"/usr/lib/libSystem.B.dylib"};
#else
  const char *libraries[] = {"libc.so.6", "libm.so.6"};
#endif
  for (const char *library : libraries) {
    void *handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    if (!handle)
      continue;
    void *address = dlsym(handle, name.str().c_str());
    // The process itself keeps the library open.
    dlclose(handle);
    if (address)
      return address;
  }
  return nullptr;
}
