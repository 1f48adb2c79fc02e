/* Devices: eight, or as many as are visible. Each of them is this CPU. */
#include "runtime.h"

#include <unistd.h>

aclError aclrtSetDevice(int32_t deviceId) {
    RETURN_IF_ERROR(actgrad_check_device_id(__func__, deviceId));
    actgrad_use_device(deviceId);
    return ACL_SUCCESS;
}

/* The last reset of a device waits for the device's work and ends its default context. */
static aclError reset(const char* function, int32_t deviceId, bool is_forced) {
    RETURN_IF_ERROR(actgrad_check_device_id(function, deviceId));
    if (!actgrad_leave_device(deviceId, is_forced)) return ACL_SUCCESS;
    aclError status = actgrad_run_device(deviceId);
    actgrad_end_default_context(deviceId);
    actgrad_forget_refusal(deviceId);
    return status;
}

aclError aclrtResetDevice(int32_t deviceId) { return reset(__func__, deviceId, false); }
aclError aclrtResetDeviceForce(int32_t deviceId) { return reset(__func__, deviceId, true); }

aclError aclrtGetDevice(int32_t* deviceId) {
    if (deviceId == NULL) return actgrad_fail_null(__func__, "deviceId");
    RETURN_IF_ERROR(actgrad_check_device(__func__));
    *deviceId = actgrad_device_of(actgrad_current_context());
    return ACL_SUCCESS;
}

/** Returns the number of devices that ASCEND_RT_VISIBLE_DEVICES lists, or 8. */
aclError aclrtGetDeviceCount(uint32_t* count) {
    if (count == NULL) return actgrad_fail_null(__func__, "count");
    *count = (uint32_t)actgrad_get_settings()->devices;
    return ACL_SUCCESS;
}

aclError aclrtGetRunMode(aclrtRunMode* runMode) {
    if (runMode == NULL) return actgrad_fail_null(__func__, "runMode");
    *runMode = ACL_HOST;
    return ACL_SUCCESS;
}

/** Returns the chip that ACTGRAD_PRODUCT names, or a chip of the product that it names. */
const char* aclrtGetSocName(void) { return actgrad_get_settings()->chip; }

static aclError synchronize(const char* function) {
    RETURN_IF_ERROR(actgrad_check_device(function));
    RETURN_IF_ERROR(actgrad_check_refusals(function));
    return actgrad_run_device(actgrad_device_of(actgrad_current_context()));
}

aclError aclrtSynchronizeDevice(void) { return synchronize(__func__); }

aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout) {
    RETURN_IF_ERROR(actgrad_check_timeout(__func__, timeout));
    return synchronize(__func__);
}

/** Returns 0 in `canAccessPeer`, because no device reads the memory of another. */
aclError aclrtDeviceCanAccessPeer(int32_t* canAccessPeer, int32_t deviceId, int32_t peerDeviceId) {
    if (canAccessPeer == NULL) return actgrad_fail_null(__func__, "canAccessPeer");
    RETURN_IF_ERROR(actgrad_check_device_id(__func__, deviceId));
    RETURN_IF_ERROR(actgrad_check_device_id(__func__, peerDeviceId));
    *canAccessPeer = 0;
    return ACL_SUCCESS;
}

/** Checks the mode and has no other effect. Results always overflow to infinity, as in ACL_RT_OVERFLOW_MODE_INFNAN. */
aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode) {
    if (mode == ACL_RT_OVERFLOW_MODE_SATURATION || mode == ACL_RT_OVERFLOW_MODE_INFNAN) return ACL_SUCCESS;
    return actgrad_fail(ACL_ERROR_RT_PARAM_INVALID,
                        "%s: mode is %d; it must be one of aclrtFloatOverflowMode; pass one", __func__,
                        (int)mode);
}

/** Returns this machine's number of cores, or 0 for the size of the level-2 cache, which the device does not have. */
aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo, int64_t* value) {
    if (value == NULL) return actgrad_fail_null(__func__, "value");
    RETURN_IF_ERROR(actgrad_check_device_id(__func__, (int32_t)deviceId));
    if (deviceInfo != ACL_DEVICE_INFO_AI_CORE_NUM && deviceInfo != ACL_DEVICE_INFO_VECTOR_CORE_NUM &&
        deviceInfo != ACL_DEVICE_INFO_L2_SIZE)
        return actgrad_fail(ACL_ERROR_INVALID_PARAM,
                            "%s: deviceInfo is %d; it must be one of aclDeviceInfo; pass one", __func__,
                            (int)deviceInfo);
    *value = deviceInfo == ACL_DEVICE_INFO_L2_SIZE ? 0 : sysconf(_SC_NPROCESSORS_ONLN);
    return ACL_SUCCESS;
}
