//===- SizesAttr.cpp - Symbolic sizes, and the types that have them -------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `#lazy.variable`, `#lazy.sizes` and `#lazy.type`, with the text of the
// expressions that they and views hold.
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Dialect/Lazy/IR/LazyAttrs.h"
#include "tinygrad/Dialect/Lazy/IR/LazyDialect.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::lazy;
using shape::IndexExpr;
using Kind = IndexExpr::Kind;

llvm::hash_code lazy::hash_value(const SizeExprs &param) {
  llvm::hash_code hash(param.exprs.size());
  for (const IndexExpr &expr : param.exprs)
    hash = llvm::hash_combine(hash, expr.toString());
  return hash;
}

llvm::hash_code lazy::hash_value(const SymbolicViewParam &param) {
  return param.view ? llvm::hash_value(param.view->toString())
                    : llvm::hash_code(0);
}

//===----------------------------------------------------------------------===//
// VariableAttr
//===----------------------------------------------------------------------===//

IndexExpr VariableAttr::getExpr() const {
  return IndexExpr::variable(getName().str(), getMin(), getMax());
}

OpAsmAliasResult VariableAttr::getAlias(raw_ostream &os) const {
  // An alias may not end with a digit.
  os << getName() << (llvm::isDigit(getName().back()) ? "_" : "");
  return OpAsmAliasResult::FinalAlias;
}

void VariableAttr::print(AsmPrinter &printer) const {
  printer << '<' << getName() << ", " << getMin() << ", " << getMax() << '>';
}

Attribute VariableAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef name;
  int64_t min, max;
  if (parser.parseLess() || parser.parseKeyword(&name) || parser.parseComma() ||
      parser.parseInteger(min) || parser.parseComma() ||
      parser.parseInteger(max) || parser.parseGreater())
    return {};
  return parser.getChecked<VariableAttr>(loc, parser.getContext(), name, min,
                                         max);
}

LogicalResult VariableAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   StringRef name, int64_t min, int64_t max) {
  // variable_c1
  auto isWordChar = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  if (name.empty() || llvm::isDigit(name.front()) ||
      !llvm::all_of(name, isWordChar))
    return emitError() << "expects a name of letters, digits and `_` that "
                          "does not start with a digit, got '"
                       << name << "'";
  // variable_c2
  if (min < 0 || min >= max || max >= int64_t(1) << 31)
    return emitError() << "expects 0 <= min < max < 2^31, got " << min
                       << " and " << max;
  return success();
}

//===----------------------------------------------------------------------===//
// The text of expressions
//===----------------------------------------------------------------------===//

/// How tightly the context of an expression binds.
enum class Binding { Sum, Term, Factor };

static void printExpr(AsmPrinter &printer, MLIRContext *context,
                      const IndexExpr &expr, Binding binding) {
  auto needsParens = [&] {
    switch (expr.getKind()) {
    case Kind::Constant:
      return expr.getValue() < 0 && binding == Binding::Factor;
    case Kind::Variable:
      return false;
    case Kind::Add:
      return binding != Binding::Sum;
    default:
      return binding == Binding::Factor;
    }
  };
  bool parens = needsParens();
  if (parens)
    printer << '(';
  ArrayRef<IndexExpr> operands(expr.getOperands().data(),
                               expr.getOperands().size());
  switch (expr.getKind()) {
  case Kind::Constant:
    printer << expr.getValue();
    break;
  case Kind::Variable:
    printer << VariableAttr::get(context, expr.getName(), expr.getMin(),
                                 expr.getMax());
    break;
  case Kind::Add:
    for (auto [index, operand] : llvm::enumerate(operands)) {
      if (index)
        printer << " + ";
      printExpr(printer, context, operand, Binding::Term);
    }
    break;
  case Kind::Mul:
    printExpr(printer, context, operands.front(), Binding::Term);
    printer << " * " << expr.getValue();
    break;
  case Kind::Product:
    for (auto [index, operand] : llvm::enumerate(operands)) {
      if (index)
        printer << " * ";
      printExpr(printer, context, operand, Binding::Factor);
    }
    break;
  case Kind::FloorDiv:
  case Kind::Mod:
    printExpr(printer, context, operands.front(), Binding::Factor);
    printer << (expr.getKind() == Kind::Mod ? " mod " : " floordiv ")
            << expr.getValue();
    break;
  case Kind::FloorDivBy:
  case Kind::ModBy:
    printExpr(printer, context, operands.front(), Binding::Factor);
    printer << (expr.getKind() == Kind::ModBy ? " mod " : " floordiv ");
    printExpr(printer, context, operands.back(), Binding::Factor);
    break;
  }
  if (parens)
    printer << ')';
}

void lazy::printSize(AsmPrinter &printer, MLIRContext *context,
                     const IndexExpr &size) {
  printExpr(printer, context, size, Binding::Sum);
}

namespace {

/// Reads an expression. What it makes is bounded in size, and the values of
/// sums and products fit in 62 bits.
class SizeParser {
public:
  explicit SizeParser(AsmParser &parser) : parser(parser) {}

  FailureOr<IndexExpr> parseSum() {
    FailureOr<IndexExpr> sum = parseTerm();
    while (succeeded(sum)) {
      bool isPlus = succeeded(parser.parseOptionalPlus());
      if (!isPlus && failed(parser.parseOptionalMinus()))
        break;
      FailureOr<IndexExpr> term = parseTerm();
      if (failed(term))
        return failure();
      sum = check([&](Wide a, Wide b) { return isPlus ? a + b : a - b; }, *sum,
                  *term,
                  [&] { return isPlus ? *sum + *term : *sum + *term * -1; });
    }
    return sum;
  }

private:
  using Wide = __int128;
  static constexpr Wide maxValue = Wide(1) << 62;
  /// How many nodes an expression has at most, written as a tree.
  static constexpr int64_t maxNodes = 512;

  FailureOr<IndexExpr> parseTerm() {
    FailureOr<IndexExpr> term = parseFactor();
    while (succeeded(term)) {
      if (succeeded(parser.parseOptionalStar())) {
        FailureOr<IndexExpr> factor = parseFactor();
        if (failed(factor))
          return failure();
        term = check([](Wide a, Wide b) { return a * b; }, *term, *factor,
                     [&] { return *term * *factor; });
        continue;
      }
      bool isMod = succeeded(parser.parseOptionalKeyword("mod"));
      if (!isMod && failed(parser.parseOptionalKeyword("floordiv")))
        break;
      SMLoc loc = parser.getCurrentLocation();
      FailureOr<IndexExpr> divisor = parseFactor();
      if (failed(divisor))
        return failure();
      if (divisor->getMin() < 1)
        return parser.emitError(loc)
                   << "expects a divisor that is always positive, got "
                   << divisor->toString(),
               failure();
      term = limit(isMod ? term->mod(*divisor) : term->floorDiv(*divisor));
    }
    return term;
  }

  FailureOr<IndexExpr> parseFactor() {
    bool isNegative = false;
    while (succeeded(parser.parseOptionalMinus()))
      isNegative = !isNegative;
    FailureOr<IndexExpr> factor = parsePrimary();
    if (succeeded(factor) && isNegative)
      return *factor * -1;
    return factor;
  }

  FailureOr<IndexExpr> parsePrimary() {
    SMLoc loc = parser.getCurrentLocation();
    if (succeeded(parser.parseOptionalLParen())) {
      FailureOr<IndexExpr> inner = parseSum();
      if (failed(inner) || parser.parseRParen())
        return failure();
      return inner;
    }
    int64_t number;
    if (OptionalParseResult result = parser.parseOptionalInteger(number);
        result.has_value()) {
      if (failed(*result))
        return failure();
      return IndexExpr::constant(number);
    }
    Attribute attribute;
    if (OptionalParseResult result = parser.parseOptionalAttribute(attribute);
        result.has_value() && failed(*result))
      return failure();
    if (auto variable = dyn_cast_or_null<VariableAttr>(attribute))
      return variable.getExpr();
    return parser.emitError(loc)
               << "expects a number, a variable or an expression in brackets",
           failure();
  }

  /// Returns what `make` makes of `a` and `b`, if `bound`, which computes the
  /// same of any two of their values, stays in 62 bits.
  template <typename Bound, typename Make>
  FailureOr<IndexExpr> check(Bound bound, const IndexExpr &a,
                             const IndexExpr &b, Make make) {
    for (Wide x : {Wide(a.getMin()), Wide(a.getMax())})
      for (Wide y : {Wide(b.getMin()), Wide(b.getMax())})
        if (Wide value = bound(x, y); value <= -maxValue || value >= maxValue)
          return parser.emitError(parser.getCurrentLocation(),
                                  "expects sizes that fit in 62 bits"),
                 failure();
    return limit(make());
  }

  /// Returns `expr` unless it is too large.
  FailureOr<IndexExpr> limit(const IndexExpr &expr) {
    int64_t budget = maxNodes;
    if (countNodes(expr, budget))
      return expr;
    return parser.emitError(parser.getCurrentLocation(),
                            "expects a shorter expression"),
           failure();
  }

  /// Takes the nodes of `expr` from `budget`; false if that is not enough.
  static bool countNodes(const IndexExpr &expr, int64_t &budget) {
    if (--budget < 0)
      return false;
    return llvm::all_of(expr.getOperands(), [&](const IndexExpr &operand) {
      return countNodes(operand, budget);
    });
  }

  AsmParser &parser;
};

} // namespace

FailureOr<IndexExpr> lazy::parseSize(AsmParser &parser) {
  return SizeParser(parser).parseSum();
}

void lazy::printSizes(AsmPrinter &printer, MLIRContext *context,
                      ArrayRef<IndexExpr> sizes) {
  printer << '[';
  llvm::interleaveComma(sizes, printer, [&](const IndexExpr &size) {
    printSize(printer, context, size);
  });
  printer << ']';
}

ParseResult lazy::parseSizes(AsmParser &parser,
                             SmallVectorImpl<IndexExpr> &sizes) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&]() -> ParseResult {
        FailureOr<IndexExpr> size = parseSize(parser);
        if (failed(size))
          return failure();
        sizes.push_back(*size);
        return success();
      });
}

//===----------------------------------------------------------------------===//
// SizesAttr
//===----------------------------------------------------------------------===//

SizesAttr SizesAttr::get(MLIRContext *context, ArrayRef<int64_t> numbers) {
  return get(context, numbers, SizeExprs());
}

/// Splits `sizes` into numbers and expressions.
static std::pair<SmallVector<int64_t>, SizeExprs>
splitSizes(ArrayRef<IndexExpr> sizes) {
  SmallVector<int64_t> numbers;
  SizeExprs exprs;
  for (const IndexExpr &size : sizes) {
    bool isNumber = size.isConstant();
    numbers.push_back(isNumber ? size.getValue() : ShapedType::kDynamic);
    if (!isNumber)
      exprs.exprs.push_back(size);
  }
  return {std::move(numbers), std::move(exprs)};
}

SizesAttr SizesAttr::get(MLIRContext *context, ArrayRef<IndexExpr> sizes) {
  auto [numbers, exprs] = splitSizes(sizes);
  return get(context, numbers, exprs);
}

shape::SymbolicDims SizesAttr::getSizes() const {
  shape::SymbolicDims sizes;
  ArrayRef<IndexExpr> exprs = getExprs().exprs;
  for (int64_t number : getNumbers()) {
    if (!ShapedType::isDynamic(number) || exprs.empty()) {
      sizes.push_back(IndexExpr::constant(number));
      continue;
    }
    sizes.push_back(exprs.front());
    exprs = exprs.drop_front();
  }
  return sizes;
}

void SizesAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printSizes(printer, getContext(), getSizes());
  printer << '>';
}

Attribute SizesAttr::parse(AsmParser &parser, Type) {
  SizesAttr sizes;
  if (parser.parseLess() || parseSizes(parser, sizes) || parser.parseGreater())
    return {};
  return sizes;
}

void lazy::printSizes(AsmPrinter &printer, Operation *, SizesAttr sizes) {
  printSizes(printer, sizes.getContext(), sizes.getSizes());
}

ParseResult lazy::parseSizes(AsmParser &parser, SizesAttr &sizes) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<IndexExpr> exprs;
  if (parseSizes(parser, exprs))
    return failure();
  auto [numbers, symbolic] = splitSizes(exprs);
  sizes = parser.getChecked<SizesAttr>(loc, parser.getContext(),
                                       ArrayRef<int64_t>(numbers), symbolic);
  return success(static_cast<bool>(sizes));
}

void lazy::printSize(AsmPrinter &printer, Operation *, SizesAttr size) {
  printSize(printer, size.getContext(), size.getSizes().front());
}

ParseResult lazy::parseSize(AsmParser &parser, SizesAttr &size) {
  SMLoc loc = parser.getCurrentLocation();
  FailureOr<IndexExpr> expr = parseSize(parser);
  if (failed(expr))
    return failure();
  auto [numbers, symbolic] = splitSizes(*expr);
  size = parser.getChecked<SizesAttr>(loc, parser.getContext(),
                                      ArrayRef<int64_t>(numbers), symbolic);
  return success(static_cast<bool>(size));
}

LogicalResult lazy::checkAtBounds(
    ArrayRef<IndexExpr> exprs,
    function_ref<LogicalResult(const shape::Bindings &)> check) {
  constexpr size_t maxCombined = 6;
  std::vector<IndexExpr> variables = shape::collectVariables(exprs);
  uint64_t numChoices =
      variables.size() <= maxCombined ? uint64_t(1) << variables.size() : 2;
  for (uint64_t choice = 0; choice < numChoices; ++choice) {
    shape::Bindings bindings;
    for (auto [index, variable] : llvm::enumerate(variables)) {
      bool isLargest =
          choice >> (variables.size() <= maxCombined ? index : 0) & 1;
      bindings[variable.getName()] =
          isLargest ? variable.getMax() : variable.getMin();
    }
    if (failed(check(bindings)))
      return failure();
  }
  return success();
}

std::string lazy::toString(const shape::Bindings &bindings) {
  std::string text;
  for (const auto &[name, value] : bindings)
    text +=
        (text.empty() ? "where " : ", ") + name + " = " + std::to_string(value);
  return text;
}

bool lazy::haveConsistentVariables(ArrayRef<IndexExpr> exprs,
                                   std::string &error) {
  std::map<std::string, IndexExpr> known;
  for (const IndexExpr &expr : exprs)
    for (const IndexExpr &variable : shape::collectVariables({&expr, 1})) {
      auto [entry, isNew] = known.emplace(variable.getName(), variable);
      if (!isNew && !(entry->second == variable)) {
        error = entry->first;
        return false;
      }
    }
  return true;
}

LogicalResult SizesAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                ArrayRef<int64_t> numbers, SizeExprs exprs) {
  // sizes_c1
  constexpr int64_t limit = int64_t(1) << 62;
  for (const IndexExpr &expr : exprs.exprs)
    if (expr.getMin() <= -limit || expr.getMax() >= limit)
      return emitError() << "expects sizes that fit in 62 bits, got "
                         << expr.toString();
  // sizes_c2
  std::string name;
  if (!haveConsistentVariables(exprs.exprs, name))
    return emitError() << "expects one range for variable '" << name
                       << "', got two";
  return success();
}

//===----------------------------------------------------------------------===//
// EncodingAttr
//===----------------------------------------------------------------------===//

void EncodingAttr::print(AsmPrinter &printer) const {
  printer << '<';
  if (!getDevice().empty()) {
    printer << "device = ";
    printer.printString(getDevice());
  }
  if (getDims()) {
    printer << (getDevice().empty() ? "" : ", ") << "dims = ";
    printSizes(printer, getContext(), getDims().getSizes());
  }
  printer << '>';
}

Attribute EncodingAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  std::string device;
  SizesAttr dims;
  auto parseField = [&]() -> ParseResult {
    SMLoc fieldLoc = parser.getCurrentLocation();
    StringRef field;
    if (parser.parseKeyword(&field) || parser.parseEqual())
      return failure();
    if (field == "device" && device.empty())
      return parser.parseString(&device);
    if (field == "dims" && !dims)
      return parseSizes(parser, dims);
    return parser.emitError(fieldLoc)
           << "expects `device` or `dims`, each once, got `" << field << "`";
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseField))
    return {};
  return parser.getChecked<EncodingAttr>(loc, parser.getContext(),
                                         StringRef(device), dims);
}

bool lazy::isDeviceName(StringRef device) {
  auto [name, which] = device.split(':');
  if (device == defaultDevice || name.empty() ||
      !llvm::all_of(name, llvm::isUpper))
    return false;
  if (name.size() == device.size())
    return true;
  if (!llvm::all_of(which, llvm::isDigit))
    return llvm::none_of(which, [](char c) { return c == '\0'; });
  return !which.empty() && which.size() <= 4 && which.front() != '0';
}

LogicalResult EncodingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   StringRef device, SizesAttr dims) {
  // type_c1
  if (device.empty() && !(dims && dims.isSymbolic()))
    return emitError() << "expects a device or symbolic `dims`: a tensor "
                          "without them has no encoding";
  if (dims && !dims.isSymbolic())
    return emitError() << "expects an expression in `dims`: numbers alone are "
                          "left out";
  // type_c2
  if (!device.empty() && !isDeviceName(device))
    return emitError() << "expects a device in capitals, perhaps with an "
                          "index from 1 or a path, and not the default '"
                       << defaultDevice << "', got '" << device << "'";
  // type_c4
  if (dims)
    for (const IndexExpr &expr : dims.getExprs().exprs)
      if (!shape::isProvablyNonNegative(expr))
        return emitError() << "expects extents that cannot be negative, got "
                           << expr.toString();
  return success();
}

LogicalResult EncodingAttr::verifyEncoding(
    ArrayRef<int64_t> shape, Type,
    function_ref<InFlightDiagnostic()> emitError) const {
  // type_c3
  if (!getDims()) {
    if (llvm::any_of(shape, ShapedType::isDynamic))
      return emitError() << "expects `dims` for a tensor with `?`";
    return success();
  }
  if (getDims().getNumbers() != shape)
    return emitError()
           << "expects `dims` with the extents of the tensor, and an "
              "expression exactly where it has `?`";
  return success();
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

RankedTensorType lazy::getTensorType(MLIRContext *context,
                                     const shape::SymbolicDims &shape,
                                     Type elementType, StringRef device) {
  auto sizes = SizesAttr::get(context, shape);
  if (device == defaultDevice)
    device = "";
  Attribute encoding;
  if (!device.empty() || sizes.isSymbolic())
    encoding = EncodingAttr::get(context, device,
                                 sizes.isSymbolic() ? sizes : nullptr);
  return RankedTensorType::get(sizes.getNumbers(), elementType, encoding);
}

RankedTensorType lazy::withShape(RankedTensorType type,
                                 const shape::SymbolicDims &shape) {
  return getTensorType(type.getContext(), shape, type.getElementType(),
                       getDevice(type));
}

bool lazy::isGraphTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !getDType(tensor.getElementType()))
    return false;
  Attribute encoding = tensor.getEncoding();
  if (encoding && !isa<EncodingAttr>(encoding))
    return false;
  if (tensor.hasStaticShape())
    return ops::getNumElements(lazy::getShape(tensor)).has_value();
  // A type that was made without a check may lack its `dims`.
  auto lazyType = cast_or_null<EncodingAttr>(encoding);
  if (!lazyType || !lazyType.getDims() ||
      lazyType.getDims().getNumbers() != tensor.getShape())
    return false;
  __int128 count = 1;
  for (const IndexExpr &extent : lazyType.getDims().getSizes())
    count = std::min<__int128>(count * extent.getMax(), ops::maxElements);
  return count < ops::maxElements;
}

bool lazy::isPlainTensor(Type type) {
  return isGraphTensor(type) && !cast<RankedTensorType>(type).getEncoding();
}

bool lazy::isKernelTensor(Type type) {
  return isGraphTensor(type) &&
         getDevice(cast<RankedTensorType>(type)) == defaultDevice;
}

StringRef lazy::getDevice(RankedTensorType type) {
  auto encoding = dyn_cast_or_null<EncodingAttr>(type.getEncoding());
  if (!encoding || encoding.getDevice().empty())
    return defaultDevice;
  return encoding.getDevice();
}

ops::Shape lazy::getShape(ShapedType type) { return type.getShape().vec(); }

shape::SymbolicDims lazy::getSymbolicShape(RankedTensorType type) {
  if (auto encoding = dyn_cast_or_null<EncodingAttr>(type.getEncoding());
      encoding && encoding.getDims())
    return encoding.getDims().getSizes();
  shape::SymbolicDims shape;
  for (int64_t extent : type.getShape())
    shape.push_back(IndexExpr::constant(extent));
  return shape;
}

shape::Sizes lazy::getSizes(RankedTensorType type) {
  if (type.hasStaticShape())
    return lazy::getShape(type);
  return getSymbolicShape(type);
}
