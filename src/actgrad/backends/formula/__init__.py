"""actgrad.backends.formula"""
