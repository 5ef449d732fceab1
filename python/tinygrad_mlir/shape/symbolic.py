class Variable: pass
