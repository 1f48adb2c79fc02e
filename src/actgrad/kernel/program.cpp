// The program that runs one kernel once. Python starts it, because a wild pointer must not end Python.
//
// The command line names two files by their descriptors.
// The memory file: a Request, a Slot for each parameter, then the arguments. Each argument ends at the end of a page,
// and pages that nobody may touch lie around it, so a pointer that leaves an argument is caught by the processor.
// The report file: the report as JSON, written at the end, or by the signal handler if the kernel crashes.

#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <typeinfo>

#include "actgrad_ascendc/blocks.h"
#include "actgrad_ascendc/found.h"
#include "actgrad_ascendc/program.h"

namespace actgrad {
namespace {

int memory_file = -1, report_file = -1;
constexpr uint64_t page = 4096, guard = 16 << 20;

struct Request {
    uint64_t slots, blocks, key, checks, ub;
    uint64_t compares_as_complement, nan_loses, flushes_subnormals, half_saturates;
    double timeout;  // seconds
};

// One parameter of the kernel. A pointer (1) has an argument in the memory file, a value (0) its bytes, and a null
// pointer (2) nothing.
struct Slot {
    uint64_t is_pointer, offset, bytes, read_only;
    char name[64];
};

// ---- the report

void append_text(std::string& json, const char* text)
{
    json += '"';
    for (; *text != 0; ++text) {
        const unsigned char c = static_cast<unsigned char>(*text);
        if (c == '"' || c == '\\') json += '\\', json += *text;
        else if (c < 0x20) json += ' ';
        else json += *text;
    }
    json += '"';
}

const char* text_of(double number)
{
    static char text[32];
    std::snprintf(text, sizeof text, "%.9f", number);
    return text;
}

bool reported = false;
pid_t reporter = 0;  // a process that the kernel forks does not report

// `located`: the number of the fault that happened at these addresses, the innermost one first.
void send_report(double seconds, const std::vector<void*>& addresses = {}, size_t located = 0)
{
    if (reported || getpid() != reporter) return;
    reported = true;
    std::string json = "{\"seconds\": " + std::string(text_of(seconds)) + ", \"assumptions\": " +
                       std::to_string(report.assumptions) + ", \"addresses\": [";
    char number[32];
    for (size_t i = 0; i < addresses.size(); ++i) {
        std::snprintf(number, sizeof number, "%s\"%p\"", i == 0 ? "" : ", ", addresses[i]);
        json += number;
    }
    json += "], \"located\": " + std::to_string(located) + ", \"faults\": [";
    for (size_t i = 0; i < found.size(); ++i) {
        const Fault& fault = found[i];
        json += i == 0 ? "{\"kind\": " : ", {\"kind\": ";
        append_text(json, name_of(fault.kind));
        json += ", \"severity\": ";
        append_text(json, name_of(fault.severity));
        json += ", \"message\": ";
        append_text(json, fault.message.c_str());
        json += ", \"file\": ";
        append_text(json, fault.at.file);
        json += ", \"line\": " + std::to_string(fault.at.line) + ", \"block\": " + std::to_string(fault.block) + "}";
    }
    json += "]}";
    for (size_t sent = 0; sent < json.size();) {
        const ssize_t count = write(report_file, json.data() + sent, json.size() - sent);
        if (count <= 0) break;
        sent += static_cast<size_t>(count);
    }
}

// ---- what the processor or the clock finds

[[noreturn]] void end_with(Kind kind, const char* message, void* program_counter)
{
    if (found.size() >= most_faults) found.pop_back();
    found.push_back({kind, Severity::error, report.last, report.block, message});
    void* frames[32];
    const int count = backtrace(frames, 32);
    std::vector<void*> addresses;
    bool inside = false;  // the frames above the one that was interrupted belong to this handler
    for (int i = 0; i < count; ++i) {
        inside = inside || frames[i] == program_counter;
        if (inside) addresses.push_back(frames[i]);
    }
    if (addresses.empty()) addresses.push_back(program_counter);
    send_report(0, addresses, found.size() - 1);
    _exit(0);
}

void on_signal(int signal, siginfo_t* info, void* context)
{
    const ucontext_t& machine = *static_cast<ucontext_t*>(context);
#if defined(__x86_64__)
    void* at = reinterpret_cast<void*>(machine.uc_mcontext.gregs[REG_RIP]);
    const bool is_write = machine.uc_mcontext.gregs[REG_ERR] & 2;
#elif defined(__aarch64__)
    void* at = reinterpret_cast<void*>(machine.uc_mcontext.pc);
    const bool is_write = false;
#else
    void* at = nullptr;
    const bool is_write = false;
#endif
    if (signal == SIGALRM) end_with(Kind::timeout, "the kernel did not end in time", at);
    if (signal == SIGFPE) end_with(Kind::crash, "the kernel divides an integer by zero", at);
    if (signal == SIGABRT) end_with(Kind::crash, "the kernel called abort", at);
    char text[256];
    uint8_t* address = static_cast<uint8_t*>(info->si_addr);
    if (signal == SIGSEGV || signal == SIGBUS) {
        for (Argument& argument : memory.arguments) {
            const int64_t offset = address - argument.data;
            if (offset < -static_cast<int64_t>(guard) || offset >= static_cast<int64_t>(argument.bytes + guard)) continue;
            if (offset >= -static_cast<int64_t>(page) && offset < static_cast<int64_t>(argument.bytes) &&
                argument.read_only && is_write) {
                std::snprintf(text, sizeof text, "a pointer of the kernel writes into %s, which is an input",
                              argument.name);
                end_with(Kind::inputs_modified, text, at);
            }
            std::snprintf(text, sizeof text, "a pointer of the kernel %s byte %lld of %s, which has %llu bytes",
                          is_write ? "writes" : "reads", static_cast<long long>(offset), argument.name,
                          static_cast<unsigned long long>(argument.bytes));
            end_with(is_write ? Kind::gm_write_out_of_bounds : Kind::gm_read_out_of_bounds, text, at);
        }
        const bool is_stack = running != nullptr && address >= running->stack - stack_guard && address < running->stack;
        std::snprintf(text, sizeof text, is_stack ? "the stack of the block overflows"
                                                  : "a pointer of the kernel %s address %p", is_write ? "writes" : "reads",
                      static_cast<void*>(address));
        end_with(Kind::crash, text, at);
    }
    std::snprintf(text, sizeof text, "the kernel ended with signal %d", signal);
    end_with(Kind::crash, text, at);
}

void on_exit_of_kernel()
{
    if (reported || getpid() != reporter) return;
    ACTGRAD_ERROR(crash, report.last, "the kernel ended the program");
    send_report(0);
}

void before_fork()
{
    if (getpid() == reporter)
        end_with(Kind::crash, "the kernel starts another process, and a chip has none", __builtin_return_address(0));
}

void install_handlers(double timeout)
{
    reporter = getpid();
    pthread_atfork(before_fork, nullptr, nullptr);
    static uint8_t stack[1 << 16];
    const stack_t alternate = {stack, 0, sizeof stack};
    sigaltstack(&alternate, nullptr);
    struct sigaction action = {};
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM}) sigaction(signal, &action, nullptr);
    void* warm_up[1];
    backtrace(warm_up, 1);  // the first call loads a library
    itimerval timer = {};
    timer.it_value.tv_sec = static_cast<time_t>(timeout);
    timer.it_value.tv_usec = static_cast<suseconds_t>((timeout - static_cast<double>(timer.it_value.tv_sec)) * 1e6);
    if (timeout > 0) setitimer(ITIMER_REAL, &timer, nullptr);
    const rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    // A kernel that allocates without end gets std::bad_alloc before the computer runs out of memory.
    const rlim_t half = static_cast<rlim_t>(sysconf(_SC_PHYS_PAGES)) / 2 * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
    const rlimit memory_limit = {half, half};
    setrlimit(RLIMIT_DATA, &memory_limit);
    std::atexit(on_exit_of_kernel);
}

// ---- exceptions

std::vector<void*> thrown_at;  // the addresses of the last exception of the kernel, the innermost one first

}  // namespace
}  // namespace actgrad

// Every throw calls this function of the C++ library. Ours notes where, and calls the library's.
// Compilers differ in how they declare it, so it has another name in C++.
extern "C" [[noreturn]] void actgrad_throw(void* exception, std::type_info* type, void (*destroy)(void*))
    __asm__("__cxa_throw");

extern "C" void actgrad_throw(void* exception, std::type_info* type, void (*destroy)(void*))
{
    using Throw = void (*)(void*, std::type_info*, void (*)(void*));
    static const Throw next = reinterpret_cast<Throw>(dlsym(RTLD_NEXT, "__cxa_throw"));
    if (*type != typeid(actgrad::StopBlock)) {
        void* frames[32];
        const int count = backtrace(frames, 32);
        actgrad::thrown_at.clear();
        for (int i = 1; i < count; ++i)  // 0 is this function; a call returns behind itself
            actgrad::thrown_at.push_back(static_cast<uint8_t*>(frames[i]) - 1);
    }
    next(exception, type, destroy);
    std::abort();
}

namespace actgrad {
namespace {

// ---- arguments

constexpr uint8_t canary = 0xC5;

// Maps an argument with guards around it. Returns the address of its data.
uint8_t* map_argument(const Slot& slot)
{
    const uint64_t room = (slot.bytes + 31) / 32 * 32, mapped = (room + page - 1) / page * page;
    uint8_t* base = static_cast<uint8_t*>(mmap(nullptr, mapped + 2 * guard, PROT_NONE,
                                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    if (base == MAP_FAILED) throw std::bad_alloc();
    if (mapped == 0) return base + guard;
    void* data = mmap(base + guard, mapped, PROT_READ | (slot.read_only ? 0 : PROT_WRITE),
                      MAP_SHARED | MAP_FIXED | MAP_POPULATE, memory_file, static_cast<off_t>(slot.offset));
    if (data == MAP_FAILED) throw std::bad_alloc();
    uint8_t* first = base + guard + mapped - room;
    if (!slot.read_only) {
        std::memset(base + guard, canary, static_cast<size_t>(first - base - guard));
        std::memset(first + slot.bytes, canary, room - slot.bytes);
    }
    return first;
}

// Bytes next to an argument that raw pointers have overwritten without reaching a guard.
void check_canaries()
{
    for (const Argument& argument : memory.arguments) {
        if (argument.read_only || argument.bytes == 0) continue;
        const uint8_t* end = argument.data + argument.bytes;
        const uint8_t* start = reinterpret_cast<const uint8_t*>(reinterpret_cast<uintptr_t>(argument.data) / page * page);
        bool damaged = false;
        for (const uint8_t* byte = start; byte < argument.data; ++byte) damaged |= *byte != canary;
        for (const uint8_t* byte = end; byte < argument.data + (argument.bytes + 31) / 32 * 32; ++byte)
            damaged |= *byte != canary;
        if (damaged)
            ACTGRAD_ERROR(gm_write_out_of_bounds, report.last, "a pointer of the kernel writes next to %s, which has "
                          "%llu bytes", argument.name, static_cast<unsigned long long>(argument.bytes));
    }
}

class KernelJob : public Job {
public:
    KernelJob(const Entry& entry, const std::vector<const void*>& slots) : entry_(entry), slots_(slots) {}
    void run() const override { entry_.call(slots_.data()); }

private:
    const Entry& entry_;
    const std::vector<const void*>& slots_;
};

}  // namespace

int run_program(const Entry& entry, int count, char** words)
{
    if (count > 1 && std::strcmp(words[1], "--signature") == 0) {
        for (int i = 0; i < entry.count; ++i) std::printf("%c%zu", i == 0 ? '[' : ',', entry.sizes[i]);
        std::puts(entry.count == 0 ? "[]" : "]");
        return 0;
    }
    if (count != 3) return 2;
    memory_file = std::atoi(words[1]);
    report_file = std::atoi(words[2]);
    dup2(2, 1);  // what the kernel prints must not mix with the caller's output
    std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);  // whole lines come out before a crash
    const Request* request = static_cast<Request*>(mmap(nullptr, page, PROT_READ, MAP_SHARED, memory_file, 0));
    if (request == MAP_FAILED) return 2;
    const size_t slot_pages = (sizeof(Request) + request->slots * sizeof(Slot) + page - 1) / page * page;
    const uint8_t* header = static_cast<uint8_t*>(mmap(nullptr, slot_pages, PROT_READ, MAP_SHARED, memory_file, 0));
    const Slot* table = reinterpret_cast<const Slot*>(header + sizeof(Request));
    options.checks = request->checks;
    options.nan_compares_as_ieee = !request->compares_as_complement;
    options.nan_propagates = !request->nan_loses;
    options.keeps_subnormals = !request->flushes_subnormals;
    options.half_overflows = !request->half_saturates;
    options.ub = static_cast<uint32_t>(request->ub);
    tiling_key = request->key;
    std::vector<const void*> slots;
    std::vector<std::string> values;
    values.reserve(request->slots);
    for (uint64_t i = 0; i < request->slots; ++i) {
        const Slot& slot = table[i];
        if (slot.is_pointer == 2) {
            slots.push_back(nullptr);
        } else if (slot.is_pointer) {
            uint64_t shared = i;  // two parameters may be one argument
            for (uint64_t j = 0; j < i; ++j)
                if (table[j].is_pointer == 1 && table[j].offset == slot.offset && table[j].bytes != 0) shared = std::min(shared, j);
            uint8_t* data = shared == i ? map_argument(slot) : static_cast<uint8_t*>(const_cast<void*>(slots[shared]));
            if (shared == i) memory.add(data, slot.bytes, slot.read_only != 0, slot.name);
            slots.push_back(data);
        } else {
            values.emplace_back(slot.bytes, '\0');
            if (pread(memory_file, values.back().data(), slot.bytes, static_cast<off_t>(slot.offset)) < 0) return 2;
            slots.push_back(values.back().data());
        }
    }
    if (__NPU_ARCH__ == 2002) meet(Assumption::ub_size);
    install_handlers(request->timeout);
    const KernelJob job(entry, slots);
    const double seconds = run_blocks(static_cast<int64_t>(request->blocks), job);
    check_canaries();
    if (fault_of_exception < found.size()) send_report(seconds, thrown_at, fault_of_exception);
    else send_report(seconds);
    std::fflush(stdout);
    _exit(0);
}

}  // namespace actgrad
