#include "end-bias.h"

#include <string>

namespace {

// After this many tokens, what is liked is liked twice as much.
const float half_way = 100.0f;

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

} // namespace

EndBias::EndBias(const llama_vocab *vocab, float strength) : strength(strength) {
    for (llama_token token = 0; token < llama_vocab_n_tokens(vocab); token++) {
        float its = weight(vocab, token);
        if (its > 0.0f) {
            liked.push_back({token, its});
        }
    }
}

void EndBias::add(float *logits, size_t length) const {
    float grown = strength * (1.0f + static_cast<float>(length) / half_way);
    for (const Liked &it : liked) {
        logits[it.token] += grown * it.weight;
    }
}
