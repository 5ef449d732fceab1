class View: pass
