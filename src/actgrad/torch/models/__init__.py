"""What concerns whole models.

trials      modules of other libraries, known by a trial
patching    functional calls, counted or given to actgrad
"""
