// Makes turns of random models end: adds to the logits of tokens that end or close something, ever more the longer
// the turn. It knows nothing of the constraint, and comes before it.
#ifndef END_BIAS_H
#define END_BIAS_H

#include <cstddef>
#include <vector>

#include "llama.h"

class EndBias {
  public:
    EndBias(const llama_vocab *vocab, float strength);

    // Adds to the logits for the next token of a turn that has `length` tokens so far.
    void add(float *logits, size_t length) const;

  private:
    struct Liked {
        llama_token token;
        float weight;
    };
    std::vector<Liked> liked;
    float strength;
};

#endif
