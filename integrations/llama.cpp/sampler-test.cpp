// What `apply` makes of candidates, whatever shape they come in, and of errors. Takes a model's path.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "maskwright-sampler.h"

#define CHECK(condition)                                                      \
    do {                                                                      \
        if (!(condition)) {                                                   \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            std::exit(1);                                                     \
        }                                                                     \
    } while (0)

namespace {

struct Candidates {
    std::vector<llama_token_data> data;
    llama_token_data_array array;

    explicit Candidates(std::vector<llama_token> ids) {
        for (llama_token id : ids) {
            data.push_back({id, static_cast<float>(id) * 0.5f, 0.25f});
        }
        array = {data.data(), data.size(), -1, false};
    }

    std::vector<llama_token> ids() const {
        std::vector<llama_token> found;
        for (size_t i = 0; i < array.size; i++) {
            found.push_back(array.data[i].id);
        }
        return found;
    }
};

using Ids = std::vector<llama_token>;

class Test {
  public:
    explicit Test(const llama_vocab *vocab) : vocab(vocab) {
        CHECK(maskwright_vocabulary_init(vocab, &vocabulary, nullptr) == MW_OK);
        CHECK(mw_mask_words(vocabulary) == static_cast<size_t>(llama_vocab_n_tokens(vocab) + 31) / 32);
        const char schema[] = R"({"enum": ["yes", "no"]})";
        mw_constraint_options options = {};
        options.size = sizeof options;
        options.schema = {schema, sizeof schema - 1};
        mw_constraint *constraint = nullptr;
        CHECK(mw_constraint_new(vocabulary, &options, &constraint, nullptr) == MW_OK);
        size_t count = 0;
        CHECK(mw_stop_tokens(constraint, &end, 1, &count, nullptr) == MW_OK && count >= 1);
        sampler = maskwright_sampler_init(vocabulary, constraint, nullptr);
        CHECK(sampler != nullptr);
        mw_constraint_free(constraint); // the sampler keeps it
        quote = token("\""), yes = token("yes"), no = token("no"), other = token("maybe");
    }

    ~Test() {
        llama_sampler_free(sampler);
        mw_vocabulary_free(vocabulary);
    }

    void run() {
        CHECK(std::string(llama_sampler_name(sampler)) == "maskwright");
        whole_vocabulary();
        cut_and_sorted();
        none_allowed();
        clones_are_independent();
        forced();
        after_the_end();
        wrong_token();
    }

  private:
    llama_token token(const char *text) const {
        llama_token id[8];
        int32_t count = llama_tokenize(vocab, text, static_cast<int32_t>(std::strlen(text)), id, 8, false, false);
        CHECK(count == 1);
        return id[0];
    }

    // All tokens, in their places, as llama_sampler_sample makes them.
    void whole_vocabulary() {
        Ids all;
        for (llama_token id = 0; id < llama_vocab_n_tokens(vocab); id++) {
            all.push_back(id);
        }
        Candidates candidates(all);
        llama_sampler_apply(sampler, &candidates.array);
        Ids left = candidates.ids();
        CHECK(!left.empty() && left.size() < 20 && std::is_sorted(left.begin(), left.end()));
        CHECK(std::count(left.begin(), left.end(), quote) == 1);
        for (size_t i = 0; i < candidates.array.size; i++) {
            CHECK(candidates.array.data[i].logit == static_cast<float>(left[i]) * 0.5f); // no infinities
        }
        // The same, reversed: the same tokens in the other order.
        std::reverse(all.begin(), all.end());
        Candidates reversed(all);
        llama_sampler_apply(sampler, &reversed.array);
        std::reverse(left.begin(), left.end());
        CHECK(reversed.ids() == left);
    }

    void cut_and_sorted() {
        Candidates candidates({other, quote, yes});
        candidates.array.sorted = true;
        candidates.array.selected = 1;
        llama_sampler_apply(sampler, &candidates.array);
        CHECK(candidates.ids() == Ids{quote} && candidates.array.sorted && candidates.array.selected == 0);
        Candidates lost({quote, other});
        lost.array.selected = 1;
        llama_sampler_apply(sampler, &lost.array);
        CHECK(lost.ids() == Ids{quote} && lost.array.selected == -1);
        Candidates strange({-1, quote, 1 << 30});
        llama_sampler_apply(sampler, &strange.array);
        CHECK(strange.ids() == Ids{quote});
    }

    void none_allowed() {
        Candidates candidates({other, yes, no});
        llama_sampler_apply(sampler, &candidates.array);
        CHECK(candidates.array.size == 1);
        CHECK(maskwright_sampler_status(sampler) == MW_OK);
        llama_token chosen = candidates.array.data[0].id;
        llama_sampler *clone = llama_sampler_clone(sampler);
        llama_sampler_accept(clone, chosen);
        CHECK(maskwright_sampler_status(clone) == MW_OK); // it was allowed
        llama_sampler_free(clone);
        Candidates none({});
        llama_sampler_apply(sampler, &none.array);
        CHECK(none.array.size == 0);
    }

    void clones_are_independent() {
        llama_sampler *clone = llama_sampler_clone(sampler);
        llama_sampler_accept(clone, quote);
        Candidates after({yes, no, quote}), before({yes, no, quote});
        llama_sampler_apply(clone, &after.array);
        llama_sampler_apply(sampler, &before.array);
        CHECK((after.ids() == Ids{yes, no}) && before.ids() == Ids{quote});
        llama_sampler_reset(clone);
        Candidates again({yes, no, quote});
        llama_sampler_apply(clone, &again.array);
        CHECK(again.ids() == Ids{quote});
        llama_sampler_free(clone);
    }

    void forced() {
        llama_token tokens[8];
        // No token has the quote and the beginning of an answer.
        CHECK(maskwright_sampler_forced(sampler, vocab, tokens, 8) == 1 && tokens[0] == quote);
        CHECK(maskwright_sampler_state(sampler) == 0);
        llama_sampler *clone = llama_sampler_clone(sampler);
        llama_sampler_accept(clone, quote);
        CHECK(maskwright_sampler_forced(clone, vocab, tokens, 8) == 0);
        llama_sampler_free(clone);
    }

    void after_the_end() {
        llama_sampler *clone = llama_sampler_clone(sampler);
        for (llama_token id : {quote, yes, quote}) {
            llama_sampler_accept(clone, id);
        }
        CHECK(maskwright_sampler_state(clone) == (MW_STATE_MAY_END | MW_STATE_FINISHED));
        llama_sampler_accept(clone, static_cast<llama_token>(end));
        CHECK(maskwright_sampler_status(clone) == MW_OK);
        fails(clone, MW_ENDED, "ended");
        llama_sampler_reset(clone);
        CHECK(maskwright_sampler_status(clone) == MW_OK && maskwright_sampler_message(clone)[0] == '\0');
        llama_sampler_free(clone);
    }

    void wrong_token() {
        llama_sampler_accept(sampler, other);
        CHECK(maskwright_sampler_status(sampler) == MW_NOT_ALLOWED);
        fails(sampler, MW_NOT_ALLOWED, "not allowed");
        llama_token tokens[8];
        CHECK(maskwright_sampler_forced(sampler, vocab, tokens, 8) == 0);
        llama_sampler *clone = llama_sampler_clone(sampler);
        fails(clone, MW_NOT_ALLOWED, "not allowed");
        llama_sampler_free(clone);
        llama_sampler_reset(sampler);
        Candidates candidates({quote, other});
        llama_sampler_apply(sampler, &candidates.array);
        CHECK(candidates.ids() == Ids{quote});
    }

    // An end token, and nothing else, each time.
    void fails(llama_sampler *failed, int32_t status, const char *part) {
        for (int i = 0; i < 3; i++) {
            Candidates candidates({quote, yes, other});
            llama_sampler_apply(failed, &candidates.array);
            CHECK(candidates.ids() == Ids{static_cast<llama_token>(end)});
            CHECK(maskwright_sampler_status(failed) == status);
            CHECK(std::strstr(maskwright_sampler_message(failed), part) != nullptr);
            llama_sampler_accept(failed, static_cast<llama_token>(end));
        }
    }

    const llama_vocab *vocab;
    mw_vocabulary *vocabulary = nullptr;
    llama_sampler *sampler = nullptr;
    uint32_t end = 0;
    llama_token quote, yes, no, other;
};

} // namespace

int main(int argc, char **argv) {
    CHECK(argc == 2);
    llama_log_set([](ggml_log_level, const char *, void *) {}, nullptr);
    llama_model_params options = llama_model_default_params();
    options.vocab_only = true;
    llama_model *model = llama_model_load_from_file(argv[1], options);
    CHECK(model != nullptr);
    Test(llama_model_get_vocab(model)).run();
    llama_model_free(model);
    return 0;
}
