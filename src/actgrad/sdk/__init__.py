"""The C SDK: headers and libraries with which aclnn programs in C and C++ build and run where there is no NPU.

`actgrad sdk PREFIX` builds it (builder, sources in c/ and include/, generated ones in prototypes). In a program, phase
one asks Python (seam), which checks and plans by the same path as `actgrad.aclnn`; phase two runs the machine code.
"""
