/* Whole sessions, as a host runs them. */
#include "check.h"

#define WORDS ((TOKEN_COUNT + 31) / 32)

/* The mask, allows and validate say the same of every token; gives how many are allowed. */
static size_t check_row(const mw_session *session, const uint32_t *row, size_t words) {
    size_t count = 0;
    for (uint32_t id = 0; id < words * 32; id++) {
        size_t accepted = 7;
        OK(mw_validate(session, &id, 1, &accepted, NULL));
        FAILS(allowed(row, id) ? MW_OK : MW_NOT_ALLOWED, mw_allows(session, id));
        CHECK(accepted == (size_t)allowed(row, id));
        count += (size_t)allowed(row, id);
    }
    return count;
}

/* A random text to its end; every step is held against the other functions. */
static void run(const mw_constraint *constraint, uint64_t seed) {
    uint32_t row[WORDS], again[WORDS];
    mw_session *session = session_of(constraint);
    size_t steps = 0;
    while (!(mw_session_state(session) & MW_STATE_FINISHED)) {
        OK(mw_fill_mask(session, row, WORDS, NULL));
        CHECK(check_row(session, row, WORDS) > 0);
        uint32_t id;
        do {
            /* Towards the end, what closes is liked best. */
            static const char closing[] = "\"}]";
            uint32_t liked = (uint32_t)closing[next_random(&seed) % 3];
            id = steps > 60 && allowed(row, liked) ? liked : next_random(&seed) % TOKEN_COUNT;
        } while (!allowed(row, id));

        mw_session *fork = NULL;
        OK(mw_session_fork(session, &fork, NULL));
        OK(mw_accept(session, &id, 1, NULL));
        CHECK(mw_session_length(session) == mw_session_length(fork) + 1);
        OK(mw_rollback(session, 1, NULL));
        OK(mw_fill_mask(session, again, WORDS, NULL));
        CHECK(memcmp(row, again, sizeof row) == 0);
        OK(mw_accept(session, &id, 1, NULL));
        OK(mw_fill_mask(fork, again, WORDS, NULL));
        CHECK(memcmp(row, again, sizeof row) == 0);
        mw_session_free(fork);
        CHECK(++steps < 10000);
    }
    CHECK(mw_session_state(session) & MW_STATE_MAY_END);
    OK(mw_session_reset(session, NULL));
    CHECK(mw_session_length(session) == 0 && mw_session_state(session) == 0);
    mw_session_free(session);
}

static void chat(const mw_vocabulary *vocabulary) {
    static const char tools[] =
        "[{\"type\": \"function\", \"function\": {\"name\": \"get_time\", \"parameters\": {\"type\": "
        "\"object\", \"properties\": {\"zone\": {\"enum\": [\"UTC\", \"CET\"]}}, \"required\": "
        "[\"zone\"], \"additionalProperties\": false}}}]";
    mw_constraint_options options = no_options();
    options.format = text_of("harmony");
    options.tools = text_of(tools);
    options.tool_choice = MW_TOOLS_NAMED;
    options.tool_name = text_of("get_time");
    options.analysis = MW_ANALYSIS_FORBIDDEN;
    options.whitespace = MW_WHITESPACE_COMPACT;
    OK(mw_check(vocabulary, &options, NULL));
    OK(mw_check(NULL, &options, NULL));
    mw_constraint *constraint = NULL;
    OK(mw_constraint_new(vocabulary, &options, &constraint, NULL));

    /* Harmony writes <|return|> and <|call|> itself: what is left of the end tokens ends it. */
    uint32_t stop[4] = {0};
    size_t count = 0;
    OK(mw_stop_tokens(constraint, stop, 4, &count, NULL));
    CHECK(count == 1 && stop[0] == ID_EOS);
    OK(mw_stop_tokens(constraint, NULL, 0, &count, NULL));
    CHECK(count == 1);

    for (uint64_t seed = 0; seed < 8; seed++) {
        run(constraint, seed);
    }
    mw_constraint_free(constraint);

    /* The same as a request has it: a call is demanded, so the turn may not be an answer. */
    options.tool_choice = 0;
    options.tool_name = text_of(NULL);
    options.tool_choice_text = text_of("{\"type\": \"function\", \"function\": {\"name\": \"get_time\"}}");
    OK(mw_check(vocabulary, &options, NULL));
    options.tool_choice_text = text_of("{\"type\": \"function\", \"function\": {\"name\": \"get_date\"}}");
    CHECK(mw_check(vocabulary, &options, NULL) == MW_INVALID_ARGUMENT);
}

/* A tokeniser that knows the one word. */
static size_t tokenise(void *context, const char *bytes, size_t length, uint32_t *tokens, size_t capacity) {
    size_t count = 0;
    ++*(int *)context;
    for (size_t at = 0; at < length; count++) {
        int word = length - at >= 5 && memcmp(bytes + at, "hello", 5) == 0;
        if (count < capacity) {
            tokens[count] = word ? ID_HELLO : (unsigned char)bytes[at];
        }
        at += word ? 5 : 1;
    }
    return count;
}

static size_t greedy(void *context, const char *bytes, size_t length, uint32_t *tokens, size_t capacity) {
    (void)bytes, (void)length, (void)tokens;
    ++*(int *)context;
    return capacity + 1;
}

static void forced(const mw_vocabulary *vocabulary) {
    mw_constraint *constraint = schema_constraint(vocabulary, "{\"enum\": [\"say hello\", \"say held\"]}");
    mw_session *session = session_of(constraint);
    char bytes[32];
    size_t count = 0;
    OK(mw_forced_bytes(session, bytes, sizeof bytes, &count, NULL));
    CHECK(count == 8 && memcmp(bytes, "\"say hel", 8) == 0);
    OK(mw_forced_bytes(session, NULL, 0, &count, NULL));
    CHECK(count == 8);

    /* `hel` may yet become `hello`. */
    uint32_t tokens[32];
    int calls = 0;
    OK(mw_forced_tokens(session, tokenise, &calls, tokens, 32, &count, NULL));
    CHECK(calls == 2 && count == 5 && tokens[0] == '"' && tokens[4] == ' ');
    OK(mw_accept(session, tokens, count, NULL));
    CHECK(mw_session_length(session) == 5);

    /* Without a tokeniser: until two tokens would do. */
    OK(mw_forced_tokens(session, NULL, NULL, tokens, 32, &count, NULL));
    CHECK(count == 0);
    tokens[0] = ID_HELLO;
    OK(mw_accept(session, tokens, 1, NULL));
    OK(mw_forced_tokens(session, NULL, NULL, tokens, 32, &count, NULL));
    CHECK(count == 1 && tokens[0] == '"');

    /* A tokeniser without end has no answer. */
    calls = 0;
    OK(mw_forced_tokens(session, greedy, &calls, tokens, 32, &count, NULL));
    CHECK(calls == 2 && count == 0);
    mw_session_free(session);
    mw_constraint_free(constraint);
}

/* Many sessions at once, 360 rows: the same as one by one, drafts and a failing job among them. */
static void batch(const mw_vocabulary *vocabulary) {
    enum { JOBS = 120, DRAFT = 4 };
    static uint32_t rows[JOBS][DRAFT + 1][WORDS];
    mw_constraint *constraint =
        schema_constraint(vocabulary, "{\"type\": \"array\", \"items\": {\"enum\": [\"hello\", true, 1]}}");
    static const uint32_t draft[DRAFT] = {'[', ID_TRUE, 'x', ']'};
    mw_session *sessions[JOBS];
    mw_mask_job jobs[JOBS];
    memset(jobs, 0, sizeof jobs);
    memset(rows, 0xff, sizeof rows);
    for (size_t i = 0; i < JOBS; i++) {
        sessions[i] = session_of(constraint);
        jobs[i].session = sessions[i];
        jobs[i].draft = draft;
        jobs[i].draft_length = i % (DRAFT + 1);
        jobs[i].rows = rows[i][0];
    }
    OK(mw_fill_masks(jobs, JOBS, WORDS, NULL));
    for (size_t i = 0; i < JOBS; i++) {
        size_t length = i % (DRAFT + 1);
        CHECK(jobs[i].status == MW_OK && jobs[i].accepted == (length < 2 ? length : 2));
        mw_session *session = NULL;
        OK(mw_session_fork(sessions[i], &session, NULL));
        for (size_t place = 0; place <= length; place++) {
            uint32_t row[WORDS] = {0};
            if (place <= 2) {
                OK(mw_fill_mask(session, row, WORDS, NULL));
            }
            CHECK(memcmp(row, rows[i][place], sizeof row) == 0);
            if (place < 2) {
                OK(mw_accept(session, &draft[place], 1, NULL));
            }
        }
        CHECK(length == DRAFT || rows[i][length + 1][0] == 0xffffffff);
        CHECK(mw_session_length(sessions[i]) == 0);
        mw_session_free(session);
    }

    /* One has ended: its rows are zero, and the others are filled. */
    static const uint32_t whole[] = {'[', ']', ID_EOS};
    mw_error *error = NULL;
    OK(mw_accept(sessions[3], whole, 3, NULL));
    CHECK(mw_session_state(sessions[3]) == (MW_STATE_MAY_END | MW_STATE_FINISHED | MW_STATE_ENDED));
    FAILS(MW_ENDED, mw_fill_masks(jobs, JOBS, WORDS, &error));
    CHECK(text_has(mw_error_text(error, 0, MW_FIELD_MESSAGE), "jobs[3]"));
    mw_error_free(error);
    for (size_t i = 0; i < JOBS; i++) {
        CHECK(jobs[i].status == (i == 3 ? MW_ENDED : MW_OK));
        CHECK(allowed(rows[i][0], '[') == (i != 3));
    }

    /* A draft that ends leaves the rows after its end empty, and that is no error. */
    mw_mask_job ending = jobs[4];
    ending.draft = whole;
    ending.draft_length = 3;
    OK(mw_fill_masks(&ending, 1, WORDS, NULL));
    CHECK(ending.accepted == 3 && allowed(ending.rows + 2 * WORDS, ID_EOS));
    for (size_t word = 0; word < WORDS; word++) {
        CHECK(ending.rows[3 * WORDS + word] == 0);
    }
    OK(mw_fill_masks(NULL, 0, WORDS, NULL));
    for (size_t i = 0; i < JOBS; i++) {
        mw_session_free(sessions[i]);
    }
    mw_constraint_free(constraint);
}

/* A text that ends in its budget, whatever is chosen. */
static void deadline(mw_vocabulary *vocabulary) {
    mw_constraint *constraint =
        schema_constraint(vocabulary, "{\"type\": \"array\", \"items\": {\"type\": \"string\"}, \"minItems\": 1}");
    mw_session *session = session_of(constraint);
    size_t needed = 0;
    CHECK(mw_session_tokens_left(session) == SIZE_MAX);
    CHECK(mw_session_deadline(session, 2, &needed, NULL) == MW_INVALID_ARGUMENT);
    CHECK(needed == 5); /* [""] and the end token */
    CHECK(mw_session_deadline(session, 4, NULL, NULL) == MW_INVALID_ARGUMENT);
    OK(mw_session_deadline(session, needed + 1, NULL, NULL));
    accept_bytes(session, "[\"a");
    CHECK(mw_session_tokens_left(session) == 3);
    CHECK(mw_allows(session, 'b') == MW_NOT_ALLOWED && mw_allows(session, '"') == MW_OK);
    mw_session *fork = NULL;
    OK(mw_session_fork(session, &fork, NULL));
    CHECK(mw_session_tokens_left(fork) == 3);
    OK(mw_session_clear_deadline(fork));
    CHECK(mw_allows(fork, 'b') == MW_OK && mw_session_tokens_left(fork) == SIZE_MAX);
    mw_session_free(fork);
    accept_bytes(session, "\"]");
    CHECK(mw_session_tokens_left(session) == 1);
    CHECK(mw_session_state(session) == (MW_STATE_MAY_END | MW_STATE_FINISHED));
    mw_session_free(session);
    mw_constraint_free(constraint);
    CHECK(mw_session_tokens_left(NULL) == SIZE_MAX);
    CHECK(mw_session_deadline(NULL, 1, NULL, NULL) == MW_NULL_POINTER);
    CHECK(mw_session_clear_deadline(NULL) == MW_NULL_POINTER);
}

static void apply(void) {
    uint32_t row[3] = {0x80000001u, 0xffffffffu, 0};
    float singles[100];
    uint16_t halves[100], brains[100];
    for (size_t id = 0; id < 100; id++) {
        singles[id] = (float)id;
        halves[id] = brains[id] = (uint16_t)id;
    }
    OK(mw_apply_mask(row, 3, singles, 100, MW_LOGIT_F32, NULL));
    OK(mw_apply_mask(row, 3, halves, 100, MW_LOGIT_F16, NULL));
    OK(mw_apply_mask(row, 3, brains, 100, MW_LOGIT_BF16, NULL));
    for (size_t id = 0; id < 100; id++) {
        int stays = id == 0 || (id >= 31 && id < 64);
        CHECK(stays ? singles[id] == (float)id : singles[id] < -3e38f);
        CHECK(halves[id] == (stays ? id : 0xfc00));
        CHECK(brains[id] == (stays ? id : 0xff80));
    }
    OK(mw_apply_mask(row, 3, singles, 0, MW_LOGIT_F32, NULL));
    OK(mw_apply_mask(NULL, 0, singles, 1, MW_LOGIT_F32, NULL));
    CHECK(singles[0] < -3e38f);
}

/* All constraints of a vocabulary share a budget; their sessions go on. */
static void budget(void) {
    enum { CONSTRAINTS = 24, MOST = 1 << 20 };
    mw_vocabulary *vocabulary = vocabulary_within(0, MOST);
    mw_constraint *constraints[CONSTRAINTS];
    mw_session *first = NULL;
    char text[64];
    for (size_t i = 0; i < CONSTRAINTS; i++) {
        constraints[i] = schema_constraint(vocabulary, "{\"type\": \"array\", \"items\": {\"type\": \"object\"}}");
        mw_session *session = session_of(constraints[i]);
        for (int number = 0; number < 125; number++) {
            snprintf(text, sizeof text, "%c{\"k%d\":%d}", number == 0 ? '[' : ',', number, number);
            accept_bytes(session, text);
        }
        CHECK(mw_constraint_bytes(vocabulary) <= MOST + MOST / 4);
        if (i == 0) {
            first = session;
        } else {
            mw_session_free(session);
        }
    }
    CHECK(mw_constraint_bytes(vocabulary) > MOST / 2);
    accept_bytes(first, ",{}]");
    OK(mw_rollback(first, 4, NULL));
    accept_bytes(first, ",{\"k\":1}]");
    CHECK(mw_session_state(first) & MW_STATE_MAY_END);
    mw_session_free(first);
    for (size_t i = 0; i < CONSTRAINTS; i++) {
        mw_constraint_free(constraints[i]);
    }
    CHECK(mw_constraint_bytes(vocabulary) == 0 && mw_constraint_bytes(NULL) == 0);
    mw_vocabulary_free(vocabulary);
}

/* Vocabularies out of texts. */
static void loaders(void) {
    static const char tokenizer[] =
        "{\"added_tokens\": [{\"id\": 3, \"content\": \"<|end|>\", \"special\": true}],"
        " \"decoder\": {\"type\": \"ByteLevel\"},"
        " \"model\": {\"type\": \"BPE\", \"vocab\": {\"a\": 0, \"b\": 1, \"ab\": 2}, \"merges\": []}}";
    const uint32_t end = 3;
    mw_vocabulary_options options;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.end_tokens = &end;
    options.end_token_count = 1;
    options.logits = 65;
    mw_vocabulary *vocabulary = NULL;
    OK(mw_vocabulary_from_tokenizer_json(text_of(tokenizer), text_of(NULL), &options, &vocabulary, NULL));
    CHECK(mw_mask_words(vocabulary) == 3);
    mw_vocabulary_free(vocabulary);
    OK(mw_vocabulary_from_tokenizer_json(text_of(tokenizer), text_of("{\"eos_token\": \"<|end|>\"}"), NULL,
                                         &vocabulary, NULL));
    CHECK(mw_mask_words(vocabulary) == 1);
    mw_vocabulary_free(vocabulary);

    mw_token token;
    token.id = 3;
    token.kind = MW_TOKEN_CONTROL;
    token.bytes = text_of("<|end|>");
    options.tokens = &token;
    options.token_count = 1;
    OK(mw_vocabulary_from_tiktoken(text_of("YQ== 0\nYg== 1\n"), &options, &vocabulary, NULL));
    CHECK(mw_mask_words(vocabulary) == 3);

    /* A grammar of one's own over it. */
    mw_constraint_options language = no_options();
    language.grammar = text_of("turn = 1*2%s\"ab\"");
    language.start = text_of("turn");
    mw_constraint *constraint = NULL;
    OK(mw_constraint_new(vocabulary, &language, &constraint, NULL));
    mw_session *session = session_of(constraint);
    const uint32_t ab[] = {0, 1, 3};
    /* What a handle was made from may go before it. */
    mw_vocabulary_free(vocabulary);
    mw_constraint_free(constraint);
    OK(mw_accept(session, ab, 3, NULL));
    mw_session_free(session);
}

int main(void) {
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", MW_VERSION_MAJOR, MW_VERSION_MINOR, MW_VERSION_PATCH);
    CHECK(mw_version() == MW_VERSION && text_is(mw_version_text(), version));
    mw_vocabulary *vocabulary = byte_vocabulary(0);
    CHECK(mw_mask_words(vocabulary) == WORDS);
    mw_vocabulary *wide = byte_vocabulary(1000);
    CHECK(mw_mask_words(wide) == 32);
    mw_vocabulary_free(wide);

    mw_constraint *person =
        schema_constraint(vocabulary, "{\"type\": \"object\", \"properties\": {\"name\": {\"type\": "
                                      "\"string\", \"maxLength\": 6}, \"age\": {\"type\": \"integer\", "
                                      "\"minimum\": 0, \"maximum\": 150}}, \"required\": [\"name\"], "
                                      "\"additionalProperties\": false}");
    for (uint64_t seed = 0; seed < 20; seed++) {
        run(person, seed);
    }
    mw_session *session = session_of(person);
    accept_bytes(session, "{\"name\":\"Ada\"");
    CHECK(mw_session_length(session) == 13 && mw_session_state(session) == 0);
    accept_bytes(session, "}");
    CHECK(mw_session_state(session) == (MW_STATE_MAY_END | MW_STATE_FINISHED));
    mw_session_free(session);
    mw_constraint_free(person);

    chat(vocabulary);
    forced(vocabulary);
    batch(vocabulary);
    deadline(vocabulary);
    apply();
    budget();
    loaders();
    mw_vocabulary_free(vocabulary);
    return 0;
}
