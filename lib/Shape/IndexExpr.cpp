//===- IndexExpr.cpp - Sums and products of index variables -----*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nodes, sums in canonical order, and walks over expressions. Division is in
// IndexDivision.cpp, products in IndexProduct.cpp.
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Shape/IndexExpr.h"

#include "Rebuilder.h"

#include <algorithm>
#include <cassert>
#include <unordered_map>
#include <unordered_set>

using namespace tinygrad::shape;
using Kind = IndexExpr::Kind;

//===----------------------------------------------------------------------===//
// Arithmetic that wraps
//===----------------------------------------------------------------------===//

// A position past 63 bits has no meaning, but reaching one must not be
// undefined behaviour of the compiler: sums and products wrap.
static int64_t wrapAdd(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) +
                              static_cast<uint64_t>(b));
}
static int64_t wrapMul(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) *
                              static_cast<uint64_t>(b));
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

static uint64_t mixHash(uint64_t hash, uint64_t value) {
  hash ^= value + 0x9e3779b97f4a7c15ull + (hash << 6) + (hash >> 2);
  return hash * 0xff51afd7ed558ccdull;
}

IndexExpr IndexExpr::Node::make(Kind kind, int64_t value,
                                std::vector<IndexExpr> operands, int64_t min,
                                int64_t max) {
  uint64_t hash = mixHash(static_cast<uint64_t>(kind), value);
  uint64_t treeSize = 1;
  if (kind == Kind::Variable)
    hash = mixHash(mixHash(hash, min), max);
  for (const IndexExpr &operand : operands) {
    hash = mixHash(hash, operand.node->hash);
    if (__builtin_add_overflow(treeSize, operand.node->treeSize, &treeSize))
      treeSize = std::numeric_limits<uint64_t>::max();
  }
  return IndexExpr(std::make_shared<const Node>(
      Node{kind, value, min, max, std::move(operands), hash, treeSize}));
}

IndexExpr IndexExpr::Node::makeNamed(std::string name, int64_t min, int64_t max,
                                     std::optional<int64_t> binding) {
  uint64_t hash = mixHash(static_cast<uint64_t>(Kind::Variable),
                          std::hash<std::string>()(name));
  hash = mixHash(mixHash(hash, min), max);
  if (binding)
    hash = mixHash(hash, *binding);
  return IndexExpr(std::make_shared<const NamedNode>(
      NamedNode{{Kind::Variable, namedVariable, min, max, {}, hash, 1},
                std::move(name),
                binding}));
}

/// Returns what is inside of `variable`, which has a name.
static const NamedNode *getNamed(const IndexExpr &variable) {
  assert(variable.isNamed() && "only a variable has a name");
  return static_cast<const NamedNode *>(IndexExpr::Node::get(variable));
}

IndexExpr::IndexExpr(std::shared_ptr<const Node> node)
    : node(std::move(node)) {}

IndexExpr::IndexExpr(int64_t value) : IndexExpr(constant(value)) {}

IndexExpr IndexExpr::constant(int64_t value) {
  return Node::make(Kind::Constant, value, {}, value, value);
}

IndexExpr IndexExpr::variable(int64_t id, int64_t min, int64_t max) {
  if (min == max)
    return constant(min);
  return Node::make(Kind::Variable, id, {}, min, max);
}

IndexExpr IndexExpr::variable(int64_t id, const IndexExpr &extent) {
  if (extent.isConstant())
    return variable(id, 0, std::max<int64_t>(extent.getValue() - 1, 0));
  int64_t max = std::max<int64_t>(extent.getMax() - 1, 0);
  return Node::make(Kind::Variable, id, {extent}, 0, max);
}

IndexExpr IndexExpr::variable(std::string name, int64_t min, int64_t max) {
  if (min == max)
    return constant(min);
  return Node::makeNamed(std::move(name), min, max, std::nullopt);
}

IndexExpr IndexExpr::bind(int64_t value) const {
  assert(value >= getMin() && value <= getMax() && "outside of the bounds");
  if (isConstant())
    return *this;
  return Node::makeNamed(getName(), getMin(), getMax(), value);
}

bool IndexExpr::isNamed() const {
  return node->kind == Kind::Variable && node->value == namedVariable;
}
const std::string &IndexExpr::getName() const { return getNamed(*this)->name; }
std::optional<int64_t> IndexExpr::getBinding() const {
  return getNamed(*this)->binding;
}

Kind IndexExpr::getKind() const { return node->kind; }
int64_t IndexExpr::getMin() const { return node->min; }
int64_t IndexExpr::getMax() const { return node->max; }
int64_t IndexExpr::getValue() const { return node->value; }
std::span<const IndexExpr> IndexExpr::getOperands() const {
  return node->operands;
}

IndexExpr IndexExpr::operator+(const IndexExpr &other) const {
  LinearForm sum(*this);
  sum.add(other, 1);
  return sum.buildJoined();
}

IndexExpr IndexExpr::operator+(int64_t value) const {
  LinearForm sum(*this);
  sum.addConstant(value);
  return sum.build();
}

IndexExpr IndexExpr::operator-(const IndexExpr &other) const {
  LinearForm sum(*this);
  sum.add(other, -1);
  return sum.buildJoined();
}

IndexExpr IndexExpr::operator-() const { return *this * -1; }

IndexExpr IndexExpr::operator*(int64_t factor) const {
  LinearForm product;
  product.add(*this, factor);
  return product.build();
}

int tinygrad::shape::compareExprs(const IndexExpr &a, const IndexExpr &b) {
  const IndexExpr::Node *x = IndexExpr::Node::get(a);
  const IndexExpr::Node *y = IndexExpr::Node::get(b);
  if (x == y)
    return 0;
  if (x->kind != y->kind)
    return x->kind < y->kind ? -1 : 1;
  if (x->kind == Kind::Variable && x->value != y->value)
    return x->value < y->value ? -1 : 1;
  // A node is what its operands make of it: compare them before the number.
  for (size_t i = 0; i < std::min(x->operands.size(), y->operands.size()); ++i)
    if (int order = compareExprs(x->operands[i], y->operands[i]))
      return order;
  if (x->operands.size() != y->operands.size())
    return x->operands.size() < y->operands.size() ? -1 : 1;
  if (x->value != y->value)
    return x->value < y->value ? -1 : 1;
  if (x->kind != Kind::Variable)
    return 0;
  if (a.isNamed())
    if (int order = a.getName().compare(b.getName()))
      return order;
  std::pair rangeX(x->min, x->max), rangeY(y->min, y->max);
  if (rangeX != rangeY)
    return rangeX < rangeY ? -1 : 1;
  if (!a.isNamed() || a.getBinding() == b.getBinding())
    return 0;
  return a.getBinding() < b.getBinding() ? -1 : 1;
}

bool IndexExpr::operator==(const IndexExpr &other) const {
  return node == other.node ||
         (node->hash == other.node->hash && compareExprs(*this, other) == 0);
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

void LinearForm::addConstant(int64_t value) {
  constant = wrapAdd(constant, value);
}

void LinearForm::add(const IndexExpr &expr, int64_t factor) {
  switch (expr.getKind()) {
  case Kind::Constant:
    return addConstant(wrapMul(expr.getValue(), factor));
  case Kind::Mul:
    return add(expr.getOperands().front(), wrapMul(expr.getValue(), factor));
  case Kind::Add:
    for (const IndexExpr &operand : expr.getOperands())
      add(operand, factor);
    return;
  case Kind::Variable:
  case Kind::FloorDiv:
  case Kind::Mod:
  case Kind::Product:
  case Kind::FloorDivBy:
  case Kind::ModBy:
    return addTerm(expr, factor);
  }
}

void LinearForm::addTerm(const IndexExpr &expr, int64_t factor) {
  if (factor == 0)
    return;
  auto place =
      std::lower_bound(terms.begin(), terms.end(), expr,
                       [](const LinearTerm &term, const IndexExpr &key) {
                         return compareExprs(term.expr, key) < 0;
                       });
  if (place == terms.end() || !(place->expr == expr)) {
    terms.insert(place, LinearTerm{expr, factor});
    return;
  }
  place->factor = wrapAdd(place->factor, factor);
  if (place->factor == 0)
    terms.erase(place);
}

bool LinearForm::joinRemainder() {
  auto isQuotient = [](const LinearTerm &term) {
    return term.expr.getKind() == Kind::FloorDiv;
  };
  if (std::none_of(terms.begin(), terms.end(), isQuotient))
    return false;
  for (const LinearTerm &term : terms) {
    if (term.expr.getKind() != Kind::Mod)
      continue;
    IndexExpr numerator = term.expr.getOperands().front();
    int64_t divisor = term.expr.getValue(), factor = term.factor;
    // The quotient as the simplifier writes it: one division and perhaps more.
    LinearForm quotient(numerator.floorDiv(divisor));
    auto division =
        std::find_if(quotient.terms.begin(), quotient.terms.end(), isQuotient);
    if (division == quotient.terms.end() || division->factor != 1)
      continue;
    auto match = std::find_if(terms.begin(), terms.end(), [&](auto &other) {
      return other.expr == division->expr;
    });
    if (match == terms.end() || Wide(match->factor) != Wide(factor) * divisor)
      continue;
    IndexExpr remainder = term.expr, joined = division->expr;
    quotient.add(joined, -1);
    add(remainder, -factor);
    add(joined, wrapMul(-factor, divisor));
    add(numerator, factor);
    add(quotient.build(), wrapMul(-factor, divisor));
    return true;
  }
  return false;
}

IndexExpr LinearForm::buildJoined() {
  while (joinRemainder()) {
  }
  return build();
}

IndexExpr LinearForm::build() const {
  std::vector<IndexExpr> operands;
  operands.reserve(terms.size() + 1);
  // Far past 64 bits, and small enough to add many.
  constexpr Wide limit = Wide(1) << 100;
  Wide min = constant, max = constant;
  for (const LinearTerm &term : terms) {
    Wide low = Wide(term.expr.getMin()) * term.factor;
    Wide high = Wide(term.expr.getMax()) * term.factor;
    if (term.factor < 0)
      std::swap(low, high);
    min += std::clamp(low, -limit, limit);
    max += std::clamp(high, -limit, limit);
    operands.push_back(term.factor == 1
                           ? term.expr
                           : IndexExpr::Node::make(Kind::Mul, term.factor,
                                                   {term.expr}, saturate(low),
                                                   saturate(high)));
  }
  if (constant != 0 || operands.empty())
    operands.push_back(IndexExpr::constant(constant));
  if (operands.size() == 1)
    return operands.front();
  return IndexExpr::Node::make(Kind::Add, 0, std::move(operands), saturate(min),
                               saturate(max));
}

//===----------------------------------------------------------------------===//
// Walks
//===----------------------------------------------------------------------===//

namespace {

/// Evaluates an expression; remembers nodes where the tree is much larger than
/// the graph may be.
class Evaluator {
public:
  Evaluator(const IndexExpr &expr, std::span<const int64_t> values,
            const Bindings *bindings)
      : values(values), bindings(bindings),
        remembers(IndexExpr::Node::get(expr)->treeSize > treeSizeLimit) {}

  int64_t evaluate(const IndexExpr &expr) {
    if (!remembers)
      return compute(expr);
    auto [entry, isNew] = known.try_emplace(IndexExpr::Node::get(expr), 0);
    if (!isNew)
      return entry->second;
    int64_t value = compute(expr);
    return known[IndexExpr::Node::get(expr)] = value;
  }

private:
  static constexpr uint64_t treeSizeLimit = 512;

  int64_t compute(const IndexExpr &expr) {
    std::span<const IndexExpr> operands = expr.getOperands();
    switch (expr.getKind()) {
    case Kind::Constant:
      return expr.getValue();
    case Kind::Variable:
      if (expr.isNamed())
        return getNumber(expr);
      assert(expr.getValue() >= 0 &&
             static_cast<size_t>(expr.getValue()) < values.size() &&
             "no value for a variable");
      return values[expr.getValue()];
    case Kind::Add: {
      int64_t sum = 0;
      for (const IndexExpr &operand : operands)
        sum = wrapAdd(sum, evaluate(operand));
      return sum;
    }
    case Kind::Mul:
      return wrapMul(evaluate(operands.front()), expr.getValue());
    case Kind::FloorDiv:
      return floorDivide(evaluate(operands.front()), expr.getValue());
    case Kind::Mod:
      return floorModulo(evaluate(operands.front()), expr.getValue());
    case Kind::Product: {
      int64_t product = 1;
      for (const IndexExpr &operand : operands)
        product = wrapMul(product, evaluate(operand));
      return product;
    }
    case Kind::FloorDivBy:
      return floorDivide(evaluate(operands[0]),
                         std::max<int64_t>(evaluate(operands[1]), 1));
    case Kind::ModBy:
      return floorModulo(evaluate(operands[0]),
                         std::max<int64_t>(evaluate(operands[1]), 1));
    }
    return 0;
  }

  int64_t getNumber(const IndexExpr &variable) {
    if (bindings)
      if (auto entry = bindings->find(variable.getName());
          entry != bindings->end())
        return entry->second;
    assert(variable.getBinding() && "no value for a variable");
    return variable.getBinding().value_or(variable.getMin());
  }

  std::span<const int64_t> values;
  const Bindings *bindings;
  bool remembers;
  std::unordered_map<const IndexExpr::Node *, int64_t> known;
};

/// Replaces variables.
class Substitution : public Rebuilder {
public:
  using Rule = std::function<IndexExpr(const IndexExpr &)>;
  explicit Substitution(const Rule &replace) : replace(replace) {}

private:
  IndexExpr replaceVariable(const IndexExpr &variable) const override {
    return replace(variable);
  }

  const Rule &replace;
};

/// Rebuilds as toQuotientForm says.
class QuotientForm : public Rebuilder {
  IndexExpr buildSum(LinearForm sum) const override { return sum.build(); }
  IndexExpr divide(const IndexExpr &numerator, int64_t divisor,
                   bool isMod) const override {
    IndexExpr quotient = divideReduced(numerator, divisor);
    return isMod ? numerator + quotient * -divisor : quotient;
  }

  /// Divides in a form that depends on little but the values.
  static IndexExpr divideReduced(const IndexExpr &numerator, int64_t divisor) {
    LinearForm quotient(numerator.floorDiv(divisor));
    for (const LinearTerm &term : quotient.terms)
      if (term.expr.getKind() == Kind::FloorDiv &&
          Wide(term.expr.getMax()) - term.expr.getMin() == 1) {
        IndexExpr division = term.expr;
        int64_t factor = term.factor;
        quotient.add(division, wrapMul(-1, factor));
        quotient.add(writeStep(division), factor);
        return quotient.build();
      }

    // All coefficients of the numerator in [0, divisor).
    LinearForm whole, rest, form(numerator);
    for (const LinearTerm &term : form.terms) {
      whole.add(term.expr, floorDivide(term.factor, divisor));
      rest.add(term.expr, floorModulo(term.factor, divisor));
    }
    whole.addConstant(floorDivide(form.constant, divisor));
    rest.addConstant(floorModulo(form.constant, divisor));
    whole.add(rest.build().floorDiv(divisor), 1);
    return whole.build();
  }

  /// Writes a quotient of two values, k - 1 and k, as k + floor(z / d), where z
  /// has no common factor and d is the smallest divisor for its bounds:
  /// divisors that are crossed at one place give one form.
  static IndexExpr writeStep(const IndexExpr &division) {
    int64_t divisor = division.getValue(), high = division.getMax();
    const IndexExpr &whole = division.getOperands().front();
    LinearForm step(whole);
    int64_t factor = 0;
    for (const LinearTerm &term : step.terms)
      factor = greatestCommonDivisor(factor, term.factor);
    // Far from where the numbers below could overflow.
    constexpr int64_t limit = int64_t(1) << 60;
    if (factor == 0 || whole.getMin() < -limit || whole.getMax() > limit ||
        divisor > limit)
      return division;
    step.addConstant(wrapMul(-high, divisor));
    for (LinearTerm &term : step.terms)
      term.factor /= factor;
    step.constant = floorDivide(step.constant, factor);
    IndexExpr numerator = step.build();
    return numerator.floorDiv(
               std::max(-numerator.getMin(), numerator.getMax() + 1)) +
           high;
  }
};

/// Writes expressions as the affine expressions of MLIR are written.
class Writer {
public:
  void write(const IndexExpr &expr) {
    switch (expr.getKind()) {
    case Kind::Constant:
      text += std::to_string(expr.getValue());
      return;
    case Kind::Variable:
      text += expr.isNamed() ? expr.getName()
                             : 'd' + std::to_string(expr.getValue());
      return;
    case Kind::Add:
      for (const IndexExpr &operand : expr.getOperands())
        writeTerm(operand, &operand == expr.getOperands().data());
      return;
    case Kind::Mul:
      writeTerm(expr, /*isFirst=*/true);
      return;
    case Kind::FloorDiv:
      writeFactor(expr.getOperands().front());
      text += " floordiv " + std::to_string(expr.getValue());
      return;
    case Kind::Mod:
      writeFactor(expr.getOperands().front());
      text += " mod " + std::to_string(expr.getValue());
      return;
    case Kind::Product:
    case Kind::FloorDivBy:
    case Kind::ModBy:
      writeOperands(expr);
      return;
    }
  }
  std::string text;

private:
  void writeTerm(const IndexExpr &term, bool isFirst) {
    int64_t factor = term.getKind() == Kind::Mul ? term.getValue() : 1;
    bool isConstant = term.getKind() == Kind::Constant;
    bool isNegative = isConstant ? term.getValue() < 0 : factor < 0;
    if (isFirst)
      text += isNegative ? "-" : "";
    else
      text += isNegative ? " - " : " + ";
    auto magnitude = [](int64_t value) {
      uint64_t bits = static_cast<uint64_t>(value);
      return std::to_string(value < 0 ? -bits : bits);
    };
    if (isConstant) {
      text += magnitude(term.getValue());
      return;
    }
    bool isProduct = term.getKind() == Kind::Mul;
    const IndexExpr &base = isProduct ? term.getOperands().front() : term;
    // A product is a list of factors: one more needs no parentheses.
    if (factor == 1 || base.getKind() == Kind::Product)
      write(base);
    else
      writeFactor(base);
    if (factor != 1 && factor != -1)
      text += " * " + magnitude(factor);
  }

  void writeOperands(const IndexExpr &expr) {
    const char *separator = expr.getKind() == Kind::Product      ? " * "
                            : expr.getKind() == Kind::FloorDivBy ? " floordiv "
                                                                 : " mod ";
    for (const IndexExpr &operand : expr.getOperands()) {
      if (&operand != expr.getOperands().data())
        text += separator;
      writeFactor(operand);
    }
  }

  void writeFactor(const IndexExpr &expr) {
    bool isLeaf = expr.getKind() == Kind::Variable ||
                  (expr.getKind() == Kind::Constant && expr.getValue() >= 0);
    text += isLeaf ? "" : "(";
    write(expr);
    text += isLeaf ? "" : ")";
  }
};

} // namespace

int64_t IndexExpr::evaluate(std::span<const int64_t> values) const {
  return Evaluator(*this, values, nullptr).evaluate(*this);
}

int64_t IndexExpr::evaluate(std::span<const int64_t> values,
                            const Bindings &bindings) const {
  return Evaluator(*this, values, &bindings).evaluate(*this);
}

std::string IndexExpr::toString() const {
  Writer writer;
  writer.write(*this);
  return writer.text;
}

std::optional<std::vector<int64_t>>
tinygrad::shape::toNumbers(std::span<const IndexExpr> exprs) {
  std::vector<int64_t> numbers;
  for (const IndexExpr &expr : exprs) {
    if (!expr.isConstant())
      return std::nullopt;
    numbers.push_back(expr.getValue());
  }
  return numbers;
}

std::string tinygrad::shape::toString(std::span<const IndexExpr> dims) {
  std::string text = "[";
  for (const IndexExpr &dim : dims)
    text += (&dim == dims.data() ? "" : ", ") + dim.toString();
  return text + ']';
}

IndexExpr tinygrad::shape::substitute(
    const IndexExpr &expr,
    const std::function<IndexExpr(const IndexExpr &)> &replace) {
  return Substitution(replace).rebuild(expr);
}

IndexExpr tinygrad::shape::toQuotientForm(const IndexExpr &expr) {
  return QuotientForm().rebuild(expr);
}

bool tinygrad::shape::anyPart(
    const IndexExpr &expr,
    const std::function<bool(const IndexExpr &)> &holds) {
  std::unordered_set<const void *> seen{expr.getIdentity()};
  std::vector<const IndexExpr *> stack{&expr};
  while (!stack.empty()) {
    const IndexExpr &top = *stack.back();
    stack.pop_back();
    if (holds(top))
      return true;
    for (const IndexExpr &operand : top.getOperands())
      if (seen.insert(operand.getIdentity()).second)
        stack.push_back(&operand);
  }
  return false;
}

void tinygrad::shape::visitVariables(
    const IndexExpr &expr,
    const std::function<void(const IndexExpr &)> &visit) {
  anyPart(expr, [&](const IndexExpr &part) {
    if (part.getKind() == Kind::Variable)
      visit(part);
    return false;
  });
}
