"""Pickles read as data: `machine` runs the opcodes, `known` and `arrays` have what libraries pickle by functions, `found` the
classes that the program allows, `objects` the fields of their objects.
"""
