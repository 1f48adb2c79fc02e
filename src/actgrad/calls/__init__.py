"""actgrad.calls"""
