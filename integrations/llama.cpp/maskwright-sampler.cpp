#include "maskwright-sampler.h"

#include <algorithm>
#include <string>
#include <vector>

namespace {

struct Sampler {
    mw_session *session = nullptr;
    llama_token end_token = LLAMA_TOKEN_NULL;
    std::vector<uint32_t> row;
    // What apply keeps, when it looks the allowed tokens up.
    std::vector<llama_token_data> kept;
    int32_t status = MW_OK;
    std::string message;

    ~Sampler() { mw_session_free(session); }

    bool failed() const { return status != MW_OK; }

    // Makes a call of maskwright's, and notes what goes wrong; the first error stays.
    template <typename Call> bool run(Call call) {
        mw_error *error = nullptr;
        int32_t result = call(&error);
        if (result != MW_OK && !failed()) {
            mw_text text = mw_error_text(error, 0, MW_FIELD_MESSAGE);
            status = result;
            message = text.data ? std::string(text.data, text.length) : "unknown error";
        }
        mw_error_free(error);
        return !failed();
    }

    bool allows(llama_token id) const {
        size_t word = static_cast<uint32_t>(id) >> 5;
        return word < row.size() && (row[word] >> (id & 31) & 1);
    }

    llama_token first_allowed() const {
        for (size_t word = 0; word < row.size(); word++) {
            for (int bit = 0; row[word] && bit < 32; bit++) {
                if (row[word] >> bit & 1) {
                    return static_cast<llama_token>(word * 32 + bit);
                }
            }
        }
        return LLAMA_TOKEN_NULL;
    }
};

Sampler *self(const llama_sampler *sampler) { return static_cast<Sampler *>(sampler->ctx); }

// Makes `id` the one candidate of an array that had some.
void put_only(llama_token_data_array *candidates, llama_token id) {
    candidates->data[0] = {id, 0.0f, 0.0f};
    candidates->size = 1;
    candidates->selected = -1;
    candidates->sorted = true;
}

// Candidates as llama.cpp makes them, each at the place of its id: looks the allowed ones up, so that a mask
// of few tokens costs little. Gives false, and changes nothing, if one is not at its place.
bool shrink_by_place(Sampler &sampler, llama_token_data_array *candidates) {
    sampler.kept.clear();
    for (size_t word = 0; word < sampler.row.size(); word++) {
        uint32_t bits = sampler.row[word];
        for (size_t id = word * 32; bits != 0; id++, bits >>= 1) {
            if (bits & 1) {
                if (id >= candidates->size || candidates->data[id].id != static_cast<llama_token>(id)) {
                    return false;
                }
                sampler.kept.push_back(candidates->data[id]);
            }
        }
    }
    std::copy(sampler.kept.begin(), sampler.kept.end(), candidates->data);
    candidates->size = sampler.kept.size();
    return true;
}

// Takes out the candidates that are not allowed, and keeps the order of the others.
void shrink(Sampler &sampler, llama_token_data_array *candidates) {
    llama_token selected = LLAMA_TOKEN_NULL;
    if (candidates->selected >= 0 && static_cast<size_t>(candidates->selected) < candidates->size) {
        selected = candidates->data[candidates->selected].id;
    }
    if (candidates->sorted || !shrink_by_place(sampler, candidates)) {
        llama_token_data *end = std::remove_if(
            candidates->data, candidates->data + candidates->size,
            [&](const llama_token_data &candidate) { return !sampler.allows(candidate.id); });
        candidates->size = static_cast<size_t>(end - candidates->data);
    }
    candidates->selected = -1;
    for (size_t i = 0; selected != LLAMA_TOKEN_NULL && i < candidates->size; i++) {
        if (candidates->data[i].id == selected) {
            candidates->selected = static_cast<int64_t>(i);
        }
    }
}

void apply(llama_sampler *sampler, llama_token_data_array *candidates) {
    Sampler &it = *self(sampler);
    if (!it.failed()) {
        it.run([&](mw_error **error) { return mw_fill_mask(it.session, it.row.data(), it.row.size(), error); });
    }
    if (candidates->size == 0) {
        return; // nothing to write to; no chain comes without candidates
    }
    if (!it.failed()) {
        shrink(it, candidates);
    }
    if (it.failed()) {
        put_only(candidates, it.end_token);
    } else if (candidates->size == 0) {
        put_only(candidates, it.first_allowed());
    }
}

void accept(llama_sampler *sampler, llama_token token) {
    Sampler &it = *self(sampler);
    // After an error the end token that was put in place comes back here.
    if (!it.failed()) {
        uint32_t id = static_cast<uint32_t>(token);
        it.run([&](mw_error **error) { return mw_accept(it.session, &id, 1, error); });
    }
}

void reset(llama_sampler *sampler) {
    Sampler &it = *self(sampler);
    it.status = MW_OK;
    it.message.clear();
    it.run([&](mw_error **error) { return mw_session_reset(it.session, error); });
}

llama_sampler *clone(const llama_sampler *sampler);

void free_it(llama_sampler *sampler) { delete self(sampler); }

const char *name(const llama_sampler *) { return "maskwright"; }

// Members that this header does not know, such as those of backend sampling, are left out: NULL.
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

llama_sampler *clone(const llama_sampler *sampler) {
    const Sampler &it = *self(sampler);
    Sampler *copy = new Sampler;
    copy->end_token = it.end_token;
    copy->row.resize(it.row.size());
    copy->status = it.status;
    copy->message = it.message;
    copy->run([&](mw_error **error) { return mw_session_fork(it.session, &copy->session, error); });
    return llama_sampler_init(table(), copy);
}

// The model's own tokenizer, as mw_forced_tokens asks for it.
size_t tokenise(void *context, const char *bytes, size_t length, uint32_t *tokens, size_t capacity) {
    const llama_vocab *vocab = static_cast<const llama_vocab *>(context);
    int32_t count = llama_tokenize(vocab, bytes, static_cast<int32_t>(length),
                                   reinterpret_cast<llama_token *>(tokens), static_cast<int32_t>(capacity),
                                   /*add_special=*/false, /*parse_special=*/false);
    return static_cast<size_t>(count < 0 ? -count : count);
}

// Whether a token has the shape of a control token. llama.cpp makes some of Harmony's, such as <|message|>,
// tokens that are printed, and no longer calls them control tokens.
bool is_angled(const std::string &text) {
    return text.size() > 4 && text.compare(0, 2, "<|") == 0 && text.compare(text.size() - 2, 2, "|>") == 0;
}

mw_token_kind kind_of(const llama_vocab *vocab, llama_token id) {
    int attributes = llama_vocab_get_attr(vocab, id);
    bool printed = attributes & LLAMA_TOKEN_ATTR_USER_DEFINED && is_angled(llama_vocab_get_text(vocab, id));
    if (printed || llama_vocab_is_eog(vocab, id) || attributes & (LLAMA_TOKEN_ATTR_CONTROL | LLAMA_TOKEN_ATTR_UNKNOWN)) {
        return MW_TOKEN_CONTROL;
    }
    bool unused = attributes == LLAMA_TOKEN_ATTR_UNDEFINED || attributes & LLAMA_TOKEN_ATTR_UNUSED;
    return unused ? MW_TOKEN_UNUSED : MW_TOKEN_NORMAL;
}

std::string piece(const llama_vocab *vocab, llama_token id) {
    std::string text(32, '\0');
    int32_t length = llama_token_to_piece(vocab, id, &text[0], 32, 0, false);
    if (length < 0) {
        text.resize(static_cast<size_t>(-length));
        length = llama_token_to_piece(vocab, id, &text[0], -length, 0, false);
    }
    text.resize(static_cast<size_t>(std::max(length, 0)));
    return text;
}

} // namespace

int32_t maskwright_vocabulary_init(const llama_vocab *vocab, mw_vocabulary **out, mw_error **error) {
    int32_t count = llama_vocab_n_tokens(vocab);
    std::vector<mw_token> tokens(static_cast<size_t>(count));
    std::vector<std::string> texts(tokens.size());
    std::vector<uint32_t> ends;
    for (llama_token id = 0; id < count; id++) {
        mw_token &token = tokens[static_cast<size_t>(id)];
        std::string &text = texts[static_cast<size_t>(id)];
        token.id = static_cast<uint32_t>(id);
        token.kind = kind_of(vocab, id);
        text = token.kind == MW_TOKEN_CONTROL ? llama_vocab_get_text(vocab, id) : piece(vocab, id);
        token.bytes = {text.data(), text.size()};
        if (llama_vocab_is_eog(vocab, id)) {
            ends.push_back(token.id);
        }
    }
    mw_vocabulary_options options = {};
    options.size = sizeof options;
    options.tokens = tokens.data();
    options.token_count = tokens.size();
    options.end_tokens = ends.data();
    options.end_token_count = ends.size();
    options.logits = tokens.size();
    return mw_vocabulary_new(&options, out, error);
}

llama_sampler *maskwright_sampler_init(const mw_vocabulary *vocabulary, const mw_constraint *constraint,
                                       mw_error **error) {
    uint32_t end_token = 0;
    size_t count = 0;
    mw_session *session = nullptr;
    // A constraint has an end token at least.
    if (mw_stop_tokens(constraint, &end_token, 1, &count, error) != MW_OK ||
        mw_session_new(constraint, &session, error) != MW_OK) {
        return nullptr;
    }
    Sampler *made = new Sampler;
    made->session = session;
    made->end_token = static_cast<llama_token>(end_token);
    made->row.resize(mw_mask_words(vocabulary));
    return llama_sampler_init(table(), made);
}

int32_t maskwright_sampler_status(const llama_sampler *sampler) { return self(sampler)->status; }

const char *maskwright_sampler_message(const llama_sampler *sampler) { return self(sampler)->message.c_str(); }

uint32_t maskwright_sampler_state(const llama_sampler *sampler) {
    return self(sampler)->failed() ? 0 : mw_session_state(self(sampler)->session);
}

size_t maskwright_sampler_forced(llama_sampler *sampler, const llama_vocab *vocab, llama_token *tokens,
                                 size_t capacity) {
    Sampler &it = *self(sampler);
    if (it.failed()) {
        return 0;
    }
    size_t count = 0;
    bool done = it.run([&](mw_error **error) {
        return mw_forced_tokens(it.session, tokenise, const_cast<llama_vocab *>(vocab),
                                reinterpret_cast<uint32_t *>(tokens), capacity, &count, error);
    });
    return done ? std::min(count, capacity) : 0;
}
