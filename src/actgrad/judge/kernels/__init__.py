"""`actgrad kernel check` runs an Ascend C kernel on drawn cases, and judges its faults and its numbers.

kernel_check_command  the arguments and the reports
project               what is checked: the kernel, its tiling function, and the tensor that each parameter is
fixed_tiling          tiling data without a tiling function: from JSON, or from a function in Python
launches              runs the kernel on each case, and judges the outputs
findings              the results of all cases, as text, JSON and HTML
"""
