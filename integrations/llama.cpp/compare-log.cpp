// The little of llama.cpp's log that its adapter of llguidance needs: errors, to stderr.
#include <cstdarg>
#include <cstdio>

#include "log.h"

int common_log_get_verbosity_thold(void) { return LOG_LEVEL_ERROR; }

struct common_log *common_log_main() { return nullptr; }

void common_log_add(struct common_log *, enum ggml_log_level, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    std::vfprintf(stderr, format, arguments);
    va_end(arguments);
}
