"""What several tests use: calls, arrays, layouts, a model of the aclnn functions, stand-ins, and child programs."""
