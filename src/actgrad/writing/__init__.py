"""actgrad.writing"""
