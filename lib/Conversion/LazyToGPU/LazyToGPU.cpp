//===- LazyToGPU.cpp - Lower kernels to functions of a GPU ----------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One work item per stored element, and serial loops for reduces: no tuning.
// A reduce is emitted where its value is needed, so that a kernel may have
// several.
//
//===----------------------------------------------------------------------===//

#include "../KernelBody/KernelEmitter.h"

#include "tinygrad/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::lazy;
using shape::IndexExpr;

namespace tinygrad {
#define GEN_PASS_DEF_CONVERTLAZYTOGPUPASS
#include "tinygrad/Conversion/Passes.h.inc"
} // namespace tinygrad

namespace {

/// Emits the body of a kernel for one work item.
class WorkItem {
public:
  WorkItem(ImplicitLocOpBuilder &builder, KernelOp kernel, ValueRange memory)
      : b(builder), emitter(builder, kernel, memory) {}

  /// Emits the stores of `kernel` for element number `id`, of type index, of
  /// `shape` in row-major order.
  void emit(ArrayRef<StoreOp> stores, ArrayRef<int64_t> shape, Value id);

  /// True if all index arithmetic that was emitted fits in 32 bits.
  bool hasNarrowIndices() const {
    return hasNarrowLoops && emitter.hasNarrowIndices();
  }

private:
  /// The index along each axis: a value, and the variable that stands for it.
  struct Place {
    SmallVector<Value> values;
    SmallVector<IndexExpr> exprs;
    Position getPosition() const;
  };

  void emitReduces(Value value, const Place &place,
                   KernelEmitter::Known &known);
  Value emitReduce(ReduceOpInterface reduce, const Place &place);

  ImplicitLocOpBuilder &b;
  KernelEmitter emitter;
  bool hasNarrowLoops = true;
};

} // namespace

Position WorkItem::Place::getPosition() const {
  Position position;
  position.axes.assign(exprs.begin(), exprs.end());
  position.variables = values;
  return position;
}

void WorkItem::emit(ArrayRef<StoreOp> stores, ArrayRef<int64_t> shape,
                    Value id) {
  Place place;
  place.exprs.assign(shape.size(), IndexExpr::constant(0));
  place.values.assign(shape.size(), Value());
  Value rest = id;
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  for (int64_t axis = shape.size() - 1; axis >= 0; --axis) {
    int64_t extent = shape[axis];
    if (extent == 1)
      continue;
    place.exprs[axis] = IndexExpr::variable(axis, 0, extent - 1);
    place.values[axis] = rest;
    count /= extent;
    // The outermost axis takes what is left.
    if (count == 1)
      break;
    Value divisor = arith::ConstantIndexOp::create(b, extent);
    place.values[axis] = arith::RemUIOp::create(b, rest, divisor);
    rest = arith::DivUIOp::create(b, rest, divisor);
  }
  KernelEmitter::Known known;
  for (StoreOp store : stores) {
    emitReduces(store.getValue(), place, known);
    emitter.emitStore(store, place.getPosition(), known);
  }
}

/// Emits the reduces that `value` is computed from at `place`, but not those
/// that these are computed from: they belong into their loops.
void WorkItem::emitReduces(Value value, const Place &place,
                           KernelEmitter::Known &known) {
  llvm::SmallPtrSet<Operation *, 16> seen;
  SmallVector<Value> worklist{value};
  while (!worklist.empty()) {
    Value current = worklist.pop_back_val();
    Operation *op = current.getDefiningOp();
    // A block argument is memory.
    if (!op || known.contains(current) || !seen.insert(op).second)
      continue;
    if (auto reduce = dyn_cast<ReduceOpInterface>(op))
      known[current] = emitReduce(reduce, place);
    else
      llvm::append_range(worklist, op->getOperands());
  }
}

Value WorkItem::emitReduce(ReduceOpInterface reduce, const Place &place) {
  auto source = cast<ShapedType>(reduce->getOperand(0).getType());
  auto result = cast<ShapedType>(reduce->getResult(0).getType());
  OpBuilder::InsertionGuard guard(b);
  Place inner = place;
  Value accumulator = emitter.emitIdentity(reduce, /*width=*/1);
  SmallVector<scf::ForOp> loops;
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  for (int64_t axis = 0, rank = source.getRank(); axis < rank; ++axis) {
    int64_t extent = source.getDimSize(axis);
    if (extent == result.getDimSize(axis))
      continue;
    hasNarrowLoops &= extent <= std::numeric_limits<int32_t>::max();
    // A loop of no iterations still needs a variable with bounds.
    inner.exprs[axis] =
        IndexExpr::variable(axis, 0, std::max<int64_t>(extent - 1, 1));
    Value end = arith::ConstantIndexOp::create(b, extent);
    auto loop = scf::ForOp::create(b, zero, end, one, accumulator);
    inner.values[axis] = loop.getInductionVar();
    accumulator = loop.getRegionIterArg(0);
    loops.push_back(loop);
    b.setInsertionPointToStart(loop.getBody());
  }
  KernelEmitter::Known known;
  emitReduces(reduce->getOperand(0), inner, known);
  accumulator =
      emitter.emitReduceStep(reduce, accumulator, inner.getPosition(), known);
  for (scf::ForOp loop : llvm::reverse(loops)) {
    scf::YieldOp::create(b, accumulator);
    b.setInsertionPointAfter(loop);
    accumulator = loop.getResult(0);
  }
  return emitter.emitReduceResult(reduce, accumulator);
}

namespace {

struct ConvertLazyToGPUPass
    : tinygrad::impl::ConvertLazyToGPUPassBase<ConvertLazyToGPUPass> {
  using ConvertLazyToGPUPassBase::ConvertLazyToGPUPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (blockSize < 1 || blockSize > 1024) {
      module.emitError() << "expects option `block-size` from 1 to 1024, got "
                         << blockSize.getValue();
      return signalPassFailure();
    }
    SmallVector<KernelOp> kernels;
    module.walk([&](KernelOp kernel) { kernels.push_back(kernel); });
    SymbolTable symbols(module);
    for (KernelOp kernel : kernels) {
      if (failed(convert(kernel, symbols)))
        return signalPassFailure();
      kernel.erase();
    }
    if (!kernels.empty())
      module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                      UnitAttr::get(&getContext()));
  }

  /// Finds the stores and the one shape that they have.
  LogicalResult check(KernelOp kernel, SmallVector<StoreOp> &stores,
                      ArrayRef<int64_t> &shape) {
    if (!kernel.isOnMemory())
      return kernel.emitOpError() << "expects operands on memrefs for its "
                                     "lowering; run `lazy-plan-memory` before";
    if (!kernel.getBindings().empty())
      return kernel.emitOpError()
             << "expects sizes that are numbers: this lowering passes no "
                "variables to a GPU; `lazy-bind-variables` gives them numbers";
    if (kernel->getParentOfType<ModuleOp>() != getOperation())
      return kernel.emitOpError() << "expects to be in the module that is "
                                     "lowered, not in one inside of it";
    if (kernel.getPlanAttr())
      return kernel.emitOpError() << "expects no plan: this lowering makes one "
                                     "work item per stored element";
    // Languages of GPUs take no other names, and LLVM would write any.
    StringRef name = kernel.getSymName();
    if (name.empty() || llvm::isDigit(name.front()) ||
        !llvm::all_of(name,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; }))
      return kernel.emitOpError()
             << "expects a name of letters, digits and `_`, got `" << name
             << "`";
    for (Operation &op : *kernel.getBlock())
      if (auto store = dyn_cast<StoreOp>(op))
        stores.push_back(store);
    for (StoreOp store : stores) {
      auto type = cast<ShapedType>(store.getValue().getType());
      if (store == stores.front())
        shape = type.getShape();
      else if (type.getShape() != shape) {
        InFlightDiagnostic diag =
            store.emitOpError()
            << "expects the shape of the kernel's first store, got " << type;
        diag.attachNote(stores.front().getLoc())
            << "the first store has " << stores.front().getValue().getType();
        return diag;
      }
    }
    return success();
  }

  LogicalResult convert(KernelOp kernel, SymbolTable &symbols) {
    SmallVector<StoreOp> stores;
    ArrayRef<int64_t> shape;
    if (failed(check(kernel, stores, shape)))
      return failure();
    int64_t count = stores.empty() ? 0 : 1;
    for (int64_t extent : shape)
      count *= extent;
    // A launch needs a work item.
    if (count == 0)
      return success();
    int64_t block = std::min<int64_t>(blockSize, count);
    int64_t grid = (count + block - 1) / block;
    if (grid > std::numeric_limits<int32_t>::max())
      return kernel.emitOpError() << "expects at most 2147483647 blocks of "
                                  << block << " work items, got " << grid;

    gpu::GPUFuncOp function = makeFunction(kernel, symbols, block);
    ImplicitLocOpBuilder b(kernel.getLoc(), &getContext());
    b.setInsertionPointToStart(&function.getBody().front());
    Value id = gpu::GlobalIdOp::create(b, gpu::Dimension::x);
    if (count % block != 0) {
      Value limit = arith::ConstantIndexOp::create(b, count);
      Value exists =
          arith::CmpIOp::create(b, arith::CmpIPredicate::ult, id, limit);
      auto guard = scf::IfOp::create(b, exists, /*withElseRegion=*/false);
      b.setInsertionPointToStart(guard.thenBlock());
    }
    WorkItem item(b, kernel, function.getArguments());
    item.emit(stores, shape, id);
    // Blocks are whole: the numbers of work items go a little further.
    bool isNarrow = item.hasNarrowIndices() &&
                    grid * block <= std::numeric_limits<int32_t>::max();
    setIndexWidth(function->getParentOfType<gpu::GPUModuleOp>(),
                  isNarrow ? 32 : 64);
    emitLaunch(kernel, function, grid, block);
    return success();
  }

  /// Makes a GPU module with an empty function for `kernel`. Buffers are in
  /// global memory.
  gpu::GPUFuncOp makeFunction(KernelOp kernel, SymbolTable &symbols,
                              int64_t block) {
    auto global =
        gpu::AddressSpaceAttr::get(&getContext(), gpu::AddressSpace::Global);
    SmallVector<Type> inputs;
    for (Type type : kernel.getOperandTypes())
      inputs.push_back(
          MemRefType::Builder(cast<MemRefType>(type)).setMemorySpace(global));
    ImplicitLocOpBuilder b(kernel.getLoc(), &getContext());
    std::string name = kernel.getSymName().str();
    auto module = gpu::GPUModuleOp::create(b, name + "_module");
    symbols.insert(module);
    b.setInsertionPointToStart(module.getBody());
    auto function =
        gpu::GPUFuncOp::create(b, name, b.getFunctionType(inputs, {}));
    function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                      b.getUnitAttr());
    function.setKnownBlockSizeAttr(
        b.getDenseI32ArrayAttr({static_cast<int32_t>(block), 1, 1}));
    b.setInsertionPointToEnd(&function.getBody().front());
    gpu::ReturnOp::create(b);
    return function;
  }

  void setIndexWidth(gpu::GPUModuleOp module, unsigned bits) {
    Builder b(&getContext());
    auto entry =
        DataLayoutEntryAttr::get(b.getIndexType(), b.getI64IntegerAttr(bits));
    module->setAttr(
        DLTIDialect::kDataLayoutAttrName,
        DataLayoutSpecAttr::get(&getContext(),
                                ArrayRef<DataLayoutEntryInterface>(entry)));
  }

  void emitLaunch(KernelOp kernel, gpu::GPUFuncOp function, int64_t grid,
                  int64_t block) {
    ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
    SmallVector<Value> operands;
    for (auto [value, type] :
         llvm::zip(kernel.getOperands(), function.getArgumentTypes()))
      operands.push_back(memref::MemorySpaceCastOp::create(b, type, value));
    Value one = arith::ConstantIndexOp::create(b, 1);
    Value gridSize = arith::ConstantIndexOp::create(b, grid);
    Value blockSize = arith::ConstantIndexOp::create(b, block);
    gpu::LaunchFuncOp::create(b, function, gpu::KernelDim3{gridSize, one, one},
                              gpu::KernelDim3{blockSize, one, one},
                              /*dynamicSharedMemorySize=*/Value(), operands);
  }
};

} // namespace
