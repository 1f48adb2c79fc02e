"""actgrad.base"""
