"""actgrad.cli"""
