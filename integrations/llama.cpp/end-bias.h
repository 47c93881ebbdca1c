// A sampler that makes turns of random models end: it likes tokens that end and close, ever better the longer
// the turn. It stands after the constraint and knows nothing of it.
#ifndef END_BIAS_H
#define END_BIAS_H

#include "llama.h"

struct llama_sampler *end_bias_init(const struct llama_vocab *vocab, float strength);

#endif
