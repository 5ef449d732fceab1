"""The reference draws graphs here; nothing is drawn."""


def log_schedule_item(*_args):
    """Would note an item of a schedule."""


def print_tree(tree):
    """Would print an expression indented."""
    print(tree)
