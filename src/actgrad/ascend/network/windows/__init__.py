"""Operators on windows over the last dimensions of (batch, channels, ...).

windows      windows over dimensions, and sums over them
convolution  convolution, the columns of images, and their gradients
pooling      pooling over two and three dimensions, and its gradients
"""
