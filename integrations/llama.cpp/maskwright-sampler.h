// maskwright as a sampler of llama.cpp. Add this file and maskwright-sampler.cpp to an application; they
// are compiled against its own llama.h, whose llama_sampler_i grows between releases.
#ifndef MASKWRIGHT_SAMPLER_H
#define MASKWRIGHT_SAMPLER_H

#include "llama.h"
#include "maskwright.h"

#ifdef __cplusplus
extern "C" {
#endif

// Makes a vocabulary of a loaded model's; its end-of-generation tokens are the end tokens. Once per model.
// Control tokens are those that llama.cpp calls so, and tokens of the shape <|name|> that it prints.
// Errors are those of mw_vocabulary_new.
int32_t maskwright_vocabulary_init(const struct llama_vocab *vocab, mw_vocabulary **out, mw_error **error);

// Makes a sampler at the beginning of a text, for the front of a chain; NULL on an error, which is one
// of mw_session_new's. It keeps the constraint alive, which may be freed.
//
// `apply` shrinks the candidates to those that are allowed, in their order, so that the samplers after it
// have less to do. There is always one left: if no candidate is allowed, the allowed token with the
// lowest id takes the first place. On an error an end token does, from then on, and
// maskwright_sampler_status tells of it: it never goes on unconstrained.
//
// `accept` of a token that is not allowed is such an error. `reset` goes back to the beginning, and forgets
// the error. A clone is independent.
struct llama_sampler *maskwright_sampler_init(const mw_vocabulary *vocabulary, const mw_constraint *constraint,
                                              mw_error **error);

// MW_OK, or what went wrong since the last reset; ask after each llama_sampler_sample. MW_ENDED means that
// an end token was accepted and the host went on.
int32_t maskwright_sampler_status(const struct llama_sampler *sampler);

// The message of that error; an empty string if there is none. It is the sampler's.
const char *maskwright_sampler_message(const struct llama_sampler *sampler);

// The session's state, as mw_session_state has it; stop at MW_STATE_FINISHED. 0 after an error.
uint32_t maskwright_sampler_state(const struct llama_sampler *sampler);

// Writes the tokens that must come next, as the model's own tokenizer has them, and returns how many they
// are, at most `capacity`. Accept them (llama_sampler_accept) and decode them in one batch. 0 on an error.
size_t maskwright_sampler_forced(struct llama_sampler *sampler, const struct llama_vocab *vocab,
                                 llama_token *tokens, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
