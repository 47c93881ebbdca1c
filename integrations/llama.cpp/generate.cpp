// Generates constrained turns with a GGUF model: the example of the sampler, and its test bench.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "end-bias.h"
#include "llama.h"
#include "maskwright-sampler.h"
#include "maskwright.h"
#ifdef COMPARE_LLGUIDANCE
#include "sampling.h"
#endif

namespace {

const char *const usage = R"(usage: generate --model FILE.gguf [OPTIONS]

What to generate, one of:
  --format NAME           a chat format: harmony or openchatml-2.2 [default: harmony]
  --grammar FILE          a chat format of your own, in ABNF
  --schema FILE           a JSON Schema: the text is one of its values
  --gbnf FILE             a grammar of llama.cpp's, or in another EBNF, read by maskwright; --start names its rule [default: root]
  --lark FILE             a grammar in Lark; --start names its rule [default: start]
  --regex PATTERN         a regular expression of Python's that matches the whole text
  --choice FILE           a JSON array of texts
  --structural-tag FILE   a structural tag, in JSON
and for formats:
  --tools FILE            OpenAI's array of functions, or MCP's list
  --tool-choice CHOICE    auto, required, none, or the name of a tool [default: auto]
  --response-schema FILE  a JSON Schema for the final message
  --parallel              let a turn make several calls
  --no-analysis           allow no analysis
and for all:
  --start RULE            the rule to start from, where the language has rules
  --compact               allow no white space in JSON

How:
  --prompt TEXT           what comes before; control tokens are read as such
  --turns N               how many turns [default: 1]
  --max-tokens N          the most tokens of a turn [default: 1024]
  --temperature T         [default: 1]
  --seed N                [default: 1]
  --threads N             [default: 2]
  --end-bias B            likes tokens that end and close ever better, so that random models come to an end [default: 0]
  --one-by-one            decode forced tokens one by one, not in one batch
  --json                  print {"text", "tokens", "complete"} a line

What with:
  --engines LIST          maskwright, none, gbnf, llguidance, one after the other [default: maskwright]
  --peer-gbnf FILE        the grammar for gbnf, llama.cpp's own sampler of grammars [default: that of --gbnf]
  --read-back             have llama.cpp's own sampler read each text, which must be one of that grammar's
)";

struct Options {
    std::string model, format, grammar, schema, tools, tool_choice = "auto", response_schema, prompt = "Hello";
    std::string gbnf, lark, regex, choice, structural_tag, start;
    std::string engines = "maskwright", peer_gbnf;
    bool parallel = false, no_analysis = false, compact = false, json = false, one_by_one = false, read_back = false;
    int turns = 1, max_tokens = 1024, threads = 2;
    uint32_t seed = 1;
    float temperature = 1.0f, end_bias = 0.0f;
};

[[noreturn]] void fail(const std::string &message) { throw std::runtime_error(message); }

Options parse(int argc, char **argv) {
    Options options;
    for (int i = 1; i < argc; i++) {
        const std::string name = argv[i];
        auto value = [&]() -> std::string {
            if (++i == argc) {
                fail(name + " needs a value");
            }
            return argv[i];
        };
        if (name == "--model") options.model = value();
        else if (name == "--format") options.format = value();
        else if (name == "--grammar") options.grammar = value();
        else if (name == "--schema") options.schema = value();
        else if (name == "--tools") options.tools = value();
        else if (name == "--tool-choice") options.tool_choice = value();
        else if (name == "--response-schema") options.response_schema = value();
        else if (name == "--parallel") options.parallel = true;
        else if (name == "--no-analysis") options.no_analysis = true;
        else if (name == "--compact") options.compact = true;
        else if (name == "--prompt") options.prompt = value();
        else if (name == "--turns") options.turns = std::stoi(value());
        else if (name == "--max-tokens") options.max_tokens = std::stoi(value());
        else if (name == "--temperature") options.temperature = std::stof(value());
        else if (name == "--seed") options.seed = static_cast<uint32_t>(std::stoul(value()));
        else if (name == "--threads") options.threads = std::stoi(value());
        else if (name == "--end-bias") options.end_bias = std::stof(value());
        else if (name == "--one-by-one") options.one_by_one = true;
        else if (name == "--json") options.json = true;
        else if (name == "--engines") options.engines = value();
        else if (name == "--gbnf") options.gbnf = value();
        else if (name == "--lark") options.lark = value();
        else if (name == "--regex") options.regex = value();
        else if (name == "--choice") options.choice = value();
        else if (name == "--structural-tag") options.structural_tag = value();
        else if (name == "--start") options.start = value();
        else if (name == "--peer-gbnf") options.peer_gbnf = value();
        else if (name == "--read-back") options.read_back = true;
        else fail("unknown option " + name + "\n\n" + usage);
    }
    if (options.model.empty()) {
        fail(usage);
    }
    const std::string *languages[] = {&options.format, &options.grammar, &options.schema, &options.gbnf,
                                      &options.lark, &options.regex, &options.choice, &options.structural_tag};
    if (std::all_of(std::begin(languages), std::end(languages), [](const std::string *language) { return language->empty(); })) {
        options.format = "harmony";
    }
    if (options.peer_gbnf.empty()) {
        options.peer_gbnf = options.gbnf;
    }
    if (options.read_back && options.peer_gbnf.empty()) {
        fail("--read-back needs --gbnf or --peer-gbnf");
    }
    return options;
}

std::string read_file(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    if (!file) {
        fail(path + ": cannot be read");
    }
    return text.str();
}

// Frees what C interfaces hand out.
template <auto free> struct Free {
    template <typename T> void operator()(T *handle) const { free(handle); }
};
using Model = std::unique_ptr<llama_model, Free<llama_model_free>>;
using Context = std::unique_ptr<llama_context, Free<llama_free>>;
using Sampler = std::unique_ptr<llama_sampler, Free<llama_sampler_free>>;
using Vocabulary = std::unique_ptr<mw_vocabulary, Free<mw_vocabulary_free>>;
using Constraint = std::unique_ptr<mw_constraint, Free<mw_constraint_free>>;

// Makes a call of maskwright's, and throws its faults if it fails.
template <typename Call> void check(Call call) {
    mw_error *error = nullptr;
    int32_t status = call(&error);
    std::string message;
    for (size_t i = 0; i < mw_error_count(error); i++) {
        mw_text text = mw_error_text(error, i, MW_FIELD_MESSAGE);
        message += (i > 0 ? "\n" : "") + std::string(text.data, text.length);
    }
    mw_error_free(error);
    if (status != MW_OK) {
        fail(message);
    }
}

mw_text lend(const std::string &text) { return {text.data(), text.size()}; }
mw_text lend_if_any(const std::string &text) { return text.empty() ? mw_text{nullptr, 0} : lend(text); }

Constraint make_constraint(const mw_vocabulary *vocabulary, const Options &options) {
    auto file = [](const std::string &path) { return path.empty() ? std::string() : read_file(path); };
    const std::string grammar = file(options.grammar), schema = file(options.schema), tools = file(options.tools),
                      response = file(options.response_schema), gbnf = file(options.gbnf), lark = file(options.lark),
                      choice = file(options.choice), tag = file(options.structural_tag);
    mw_constraint_options asked = {};
    asked.size = sizeof asked;
    asked.format = lend_if_any(options.format);
    asked.grammar = lend_if_any(grammar);
    asked.schema = lend_if_any(schema);
    asked.ebnf = lend_if_any(gbnf);
    asked.lark = lend_if_any(lark);
    asked.regex = lend_if_any(options.regex);
    asked.choice = lend_if_any(choice);
    asked.structural_tag = lend_if_any(tag);
    asked.start = lend_if_any(options.start);
    asked.tools = lend_if_any(tools);
    asked.response_schema = lend_if_any(response);
    asked.parallel_calls = options.parallel ? MW_PARALLEL_ALLOWED : MW_PARALLEL_FORBIDDEN;
    asked.analysis = options.no_analysis ? MW_ANALYSIS_FORBIDDEN : MW_ANALYSIS_ALLOWED;
    asked.whitespace = options.compact ? MW_WHITESPACE_COMPACT : MW_WHITESPACE_DEFAULT;
    if (options.tool_choice != "auto") {
        asked.tool_choice_text = lend(options.tool_choice);
    }
    mw_constraint *constraint = nullptr;
    check([&](mw_error **error) { return mw_constraint_new(vocabulary, &asked, &constraint, error); });
    return Constraint(constraint);
}

std::vector<llama_token> tokenise(const llama_vocab *vocab, const std::string &text) {
    std::vector<llama_token> tokens(text.size() + 2);
    int32_t count = llama_tokenize(vocab, text.data(), static_cast<int32_t>(text.size()), tokens.data(),
                                   static_cast<int32_t>(tokens.size()), /*add_special=*/true, /*parse_special=*/true);
    if (count < 0) {
        fail("the prompt cannot be tokenised");
    }
    tokens.resize(static_cast<size_t>(count));
    return tokens;
}

std::string piece(const llama_vocab *vocab, llama_token token) {
    std::string text(64, '\0');
    int32_t length = llama_token_to_piece(vocab, token, &text[0], 64, 0, /*special=*/true);
    if (length < 0) {
        text.resize(static_cast<size_t>(-length));
        length = llama_token_to_piece(vocab, token, &text[0], -length, 0, true);
    }
    text.resize(static_cast<size_t>(std::max(length, 0)));
    return text;
}

std::string json_string(const std::string &text) {
    std::string json = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\') {
            json += '\\';
            json += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            char escape[8];
            std::snprintf(escape, sizeof escape, "\\u%04x", c);
            json += escape;
        } else {
            json += c;
        }
    }
    return json + '"';
}

struct Turn {
    std::vector<llama_token> tokens;
    bool complete = false;
};

struct Figures {
    size_t turns = 0, complete = 0, tokens = 0, forced = 0, passes = 0;
    double seconds = 0, cpu_seconds = 0;
};

// llama.cpp's own sampler of a grammar.
llama_sampler *own_grammar(const Options &options, const llama_vocab *vocab) {
    const std::string start = options.start.empty() ? "root" : options.start;
    llama_sampler *sampler = llama_sampler_init_grammar(vocab, read_file(options.peer_gbnf).c_str(), start.c_str());
    if (!sampler) {
        fail(options.peer_gbnf + ": not a grammar of llama.cpp's");
    }
    return sampler;
}

// Has llama.cpp's own sampler read a turn; fails where it refuses a token, or the end of a complete turn.
void read_back(const Turn &turn, const Options &options, const llama_vocab *vocab) {
    Sampler sampler(own_grammar(options, vocab));
    auto allows = [&](llama_token token) {
        llama_token_data candidate = {token, 0.0f, 0.0f};
        llama_token_data_array candidates = {&candidate, 1, -1, false};
        llama_sampler_apply(sampler.get(), &candidates);
        return std::isfinite(candidate.logit);
    };
    for (size_t i = 0; i < turn.tokens.size(); i++) {
        if (!allows(turn.tokens[i])) {
            fail("llama.cpp refuses token " + std::to_string(i) + " of a text, " + piece(vocab, turn.tokens[i]));
        }
        llama_sampler_accept(sampler.get(), turn.tokens[i]);
    }
    if (turn.complete && !allows(llama_vocab_eos(vocab))) {
        fail("llama.cpp refuses the end of a text");
    }
}

// The sampler that constrains, for engines other than none.
llama_sampler *constrain(const std::string &engine, const Options &options, const llama_vocab *vocab,
                         const mw_vocabulary *vocabulary) {
    if (engine == "maskwright") {
        Constraint constraint = make_constraint(vocabulary, options);
        llama_sampler *sampler = nullptr;
        check([&](mw_error **error) {
            sampler = maskwright_sampler_init(vocabulary, constraint.get(), error);
            return sampler ? MW_OK : MW_PANIC;
        });
        return sampler;
    }
    if (engine == "gbnf") {
        return own_grammar(options, vocab);
    }
#ifdef COMPARE_LLGUIDANCE
    if (engine == "llguidance") {
        return llama_sampler_init_llg(vocab, "json", read_file(options.schema).c_str());
    }
#endif
    fail("there is no engine " + engine + " in this build");
}

// Generates turns with one engine.
class Generator {
  public:
    Generator(const Options &options, const std::string &engine, const mw_vocabulary *vocabulary,
              const llama_vocab *vocab, llama_context *context)
        : options(options), vocab(vocab), context(context), is_maskwright(engine == "maskwright"),
          constraint(engine == "none" ? nullptr : constrain(engine, options, vocab, vocabulary)),
          bias(vocab, options.end_bias) {}

    Turn turn(const std::vector<llama_token> &prompt) {
        auto begin = std::chrono::steady_clock::now();
        std::clock_t cpu_begin = std::clock();
        llama_memory_clear(llama_get_memory(context), true);
        begin_chain();
        Turn turn;
        bool ended = false;
        std::vector<llama_token> next = prompt;
        const size_t most = static_cast<size_t>(options.max_tokens);
        while (!turn.complete && turn.tokens.size() < most) {
            decode(next);
            bias.add(llama_get_logits_ith(context, -1), turn.tokens.size());
            next = {llama_sampler_sample(chain.get(), context, -1)};
            turn.complete = ended = llama_vocab_is_eog(vocab, next[0]);
            if (maskwright) {
                // Never go on unconstrained.
                if (maskwright_sampler_status(maskwright) != MW_OK) {
                    fail(std::string("maskwright: ") + maskwright_sampler_message(maskwright));
                }
                force(next);
                uint32_t state = maskwright_sampler_state(maskwright);
                turn.complete = state & MW_STATE_FINISHED;
                ended = state & MW_STATE_ENDED;
            }
            turn.tokens.insert(turn.tokens.end(), next.begin(), next.end());
        }
        if (ended) {
            turn.tokens.pop_back(); // an end token is no part of the text
        }
        figures.turns += 1;
        figures.complete += turn.complete;
        figures.tokens += turn.tokens.size();
        figures.cpu_seconds += static_cast<double>(std::clock() - cpu_begin) / CLOCKS_PER_SEC;
        figures.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        return turn;
    }

    Figures figures;

  private:
    // The samplers of a turn: a fresh copy of the constraint, and another seed than the turn before.
    void begin_chain() {
        chain.reset(llama_sampler_chain_init(llama_sampler_chain_default_params()));
        if (constraint) {
            llama_sampler_chain_add(chain.get(), llama_sampler_clone(constraint.get()));
        }
        llama_sampler_chain_add(chain.get(), llama_sampler_init_temp(options.temperature));
        llama_sampler_chain_add(chain.get(), llama_sampler_init_dist(options.seed + static_cast<uint32_t>(figures.turns)));
        maskwright = is_maskwright ? llama_sampler_chain_get(chain.get(), 0) : nullptr;
    }

    // Appends what must come next, and accepts it.
    void force(std::vector<llama_token> &tokens) {
        llama_token forced[256];
        size_t count = maskwright_sampler_forced(maskwright, vocab, forced, 256);
        for (size_t i = 0; i < count; i++) {
            llama_sampler_accept(chain.get(), forced[i]);
        }
        tokens.insert(tokens.end(), forced, forced + count);
        figures.forced += count;
    }

    // Runs the model over the tokens, in one pass if it can.
    void decode(std::vector<llama_token> &tokens) {
        size_t step = options.one_by_one ? 1 : llama_n_batch(context);
        for (size_t at = 0; at < tokens.size(); at += step) {
            int32_t count = static_cast<int32_t>(std::min(step, tokens.size() - at));
            if (llama_decode(context, llama_batch_get_one(tokens.data() + at, count)) != 0) {
                fail("the context is full; --max-tokens says how long turns may be");
            }
            figures.passes += 1;
        }
    }

    const Options &options;
    const llama_vocab *vocab;
    llama_context *context;
    bool is_maskwright;
    Sampler constraint; // to be cloned
    EndBias bias;
    Sampler chain;
    llama_sampler *maskwright = nullptr; // in the chain, which owns it
};

void run(const Options &options) {
    llama_log_set([](ggml_log_level level, const char *text, void *) {
        if (level >= GGML_LOG_LEVEL_WARN && level != GGML_LOG_LEVEL_CONT) {
            std::fputs(text, stderr);
        }
    }, nullptr);
    llama_model_params model_options = llama_model_default_params();
    Model model(llama_model_load_from_file(options.model.c_str(), model_options));
    if (!model) {
        fail(options.model + ": not a model");
    }
    const llama_vocab *vocab = llama_model_get_vocab(model.get());
    const std::vector<llama_token> prompt = tokenise(vocab, options.prompt);

    llama_context_params context_options = llama_context_default_params();
    context_options.n_ctx = static_cast<uint32_t>(prompt.size() + static_cast<size_t>(options.max_tokens) + 512);
    context_options.n_batch = 512;
    context_options.n_threads = context_options.n_threads_batch = options.threads;
    Context context(llama_init_from_model(model.get(), context_options));
    if (!context) {
        fail("no context for this model");
    }
    mw_vocabulary *made = nullptr;
    check([&](mw_error **error) { return maskwright_vocabulary_init(vocab, &made, error); });
    Vocabulary vocabulary(made);

    std::istringstream engines(options.engines);
    for (std::string engine; std::getline(engines, engine, ',');) {
        Generator generator(options, engine, vocabulary.get(), vocab, context.get());
        for (int i = 0; i < options.turns; i++) {
            Turn turn = generator.turn(prompt);
            std::string text;
            for (llama_token token : turn.tokens) {
                text += piece(vocab, token);
            }
            if (options.read_back) {
                read_back(turn, options, vocab);
            }
            if (options.json) {
                std::printf("{\"text\": %s, \"tokens\": %zu, \"complete\": %s}\n", json_string(text).c_str(),
                            turn.tokens.size(), turn.complete ? "true" : "false");
            } else {
                std::printf("%s\n", text.c_str());
            }
            std::fflush(stdout);
        }
        const Figures &figures = generator.figures;
        // The time of the processor says more where the machine has other work.
        std::fprintf(stderr, "%-10s  %zu turns, %zu complete, %zu tokens (%zu forced) in %zu passes, %.2f s: %.0f tokens/s; "
                     "%.2f s of processor: %.0f tokens/s\n",
                     engine.c_str(), figures.turns, figures.complete, figures.tokens, figures.forced, figures.passes,
                     figures.seconds, static_cast<double>(figures.tokens) / figures.seconds, figures.cpu_seconds,
                     static_cast<double>(figures.tokens) / figures.cpu_seconds);
    }
}

} // namespace

int main(int argc, char **argv) {
    try {
        run(parse(argc, argv));
    } catch (const std::exception &error) {
        std::fprintf(stderr, "generate: %s\n", error.what());
        return 1;
    }
    return 0;
}
