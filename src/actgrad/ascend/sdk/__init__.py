"""The C SDK: headers and libraries with which aclnn programs in C and C++ build and run without an NPU.

In a program, phase one calls Python, which checks and plans by the same path as `actgrad.aclnn`. Phase two runs the
machine code.

prefix          the folder of an SDK: the SDK's files, the user's files, and how a new SDK replaces an old one
declared_functions  the names that programs use besides the activations
prototypes      generated C: prototypes, enumerators, the operators' headers and functions
descriptions    files for shells and build systems, and the folders that build systems search
builder         `actgrad sdk PREFIX`: headers, libraries and descriptions
programs        compiles and runs other people's programs
lacking         names that a program uses and the SDK lacks, found by the compiler and by symbols
sdk_command     `actgrad sdk`
versions        what `actgrad --version --verbose` says about compilers
seam            the Python side of phase one
c/              sources of the libraries. See its README
include/        public headers and their templates
"""
