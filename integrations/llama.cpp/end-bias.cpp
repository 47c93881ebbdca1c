#include "end-bias.h"

#include <string>
#include <vector>

namespace {

// After this many tokens, what is liked is liked twice as much.
const float half_way = 100.0f;

struct EndBias {
    std::vector<float> weights; // per token
    float strength;
    size_t accepted = 0;
};

EndBias *self(const llama_sampler *sampler) { return static_cast<EndBias *>(sampler->ctx); }

// Control tokens that end something most, then what closes JSON, or spells a control token where there is none.
float weight(const llama_vocab *vocab, llama_token token) {
    const std::string text = llama_vocab_get_text(vocab, token);
    if (llama_vocab_is_eog(vocab, token)) {
        return 1.0f;
    }
    if (text.compare(0, 2, "<|") == 0 && text.find("end|>") != std::string::npos) {
        return 0.8f;
    }
    return !text.empty() && text.find_first_not_of("\"}]<|>") == std::string::npos ? 0.6f : 0.0f;
}

void apply(llama_sampler *sampler, llama_token_data_array *candidates) {
    const EndBias &it = *self(sampler);
    float strength = it.strength * (1.0f + static_cast<float>(it.accepted) / half_way);
    for (size_t i = 0; i < candidates->size; i++) {
        candidates->data[i].logit += strength * it.weights[static_cast<size_t>(candidates->data[i].id)];
    }
    candidates->sorted = false;
}

void accept(llama_sampler *sampler, llama_token) { self(sampler)->accepted++; }

void reset(llama_sampler *sampler) { self(sampler)->accepted = 0; }

llama_sampler_i *table();

llama_sampler *clone(const llama_sampler *sampler) {
    return llama_sampler_init(table(), new EndBias(*self(sampler)));
}

void free_it(llama_sampler *sampler) { delete self(sampler); }

const char *name(const llama_sampler *) { return "end-bias"; }

llama_sampler_i *table() {
    static llama_sampler_i members = [] {
        llama_sampler_i made = {};
        made.name = name;
        made.accept = accept;
        made.apply = apply;
        made.reset = reset;
        made.clone = clone;
        made.free = free_it;
        return made;
    }();
    return &members;
}

} // namespace

llama_sampler *end_bias_init(const llama_vocab *vocab, float strength) {
    EndBias *made = new EndBias;
    made->strength = strength;
    for (llama_token token = 0; token < llama_vocab_n_tokens(vocab); token++) {
        made->weights.push_back(weight(vocab, token));
    }
    return llama_sampler_init(table(), made);
}
