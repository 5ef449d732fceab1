"""The reference's code generator."""
