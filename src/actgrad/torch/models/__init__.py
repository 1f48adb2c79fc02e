"""What concerns whole models.

trials      modules of other libraries, known by a trial
patching    functional calls, counted or given to actgrad
comparison  a model before and after its conversion, in numbers
"""
