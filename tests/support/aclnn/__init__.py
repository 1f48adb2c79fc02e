"""An independent model of the aclnn functions: their parameters, their checks in order, and calls that break them."""
