class ShapeTracker: pass
