/* Every error, every NULL, and what may be done twice. */
#include "check.h"

#define WORDS ((TOKEN_COUNT + 31) / 32)

/* A call that fails with `status` and leaves an error whose field has this text. `error` is in scope. */
#define SAYS(expected, field, part, call)                                             \
    do {                                                                            \
        error = NULL;                                                               \
        FAILS(expected, call);                                                        \
        CHECK(error != NULL && mw_error_count(error) >= 1);                         \
        CHECK(mw_error_text(error, 0, MW_FIELD_MESSAGE).length > 0);                \
        if (!text_has(mw_error_text(error, 0, (field)), (part))) {                  \
            mw_text is = mw_error_text(error, 0, (field));                          \
            fprintf(stderr, "%s:%d: \"%.*s\" has no \"%s\"\n", __FILE__, __LINE__,  \
                    (int)is.length, is.data == NULL ? "" : is.data, (part));        \
            exit(1);                                                                \
        }                                                                           \
        mw_error_free(error);                                                       \
    } while (0)

static mw_error *error;

static void errors_themselves(void) {
    static const char *const names[] = {
        "MW_OK",          "MW_NULL_POINTER",  "MW_INVALID_ARGUMENT", "MW_INVALID_UTF8",
        "MW_MALFORMED",   "MW_UNSUPPORTED",   "MW_UNSATISFIABLE",    "MW_LIMIT",
        "MW_NOT_ALLOWED", "MW_ENDED",         "MW_PANIC"};
    for (int32_t status = 0; status <= MW_PANIC; status++) {
        CHECK(text_is(mw_status_name(status), names[status]));
    }
    CHECK(mw_status_name(-1).data == NULL && mw_status_name(MW_PANIC + 1).data == NULL);
    CHECK(mw_error_count(NULL) == 0);
    CHECK(mw_error_text(NULL, 0, MW_FIELD_MESSAGE).data == NULL);
    mw_error_free(NULL);
    error = NULL;
    FAILS(MW_NULL_POINTER, mw_session_new(NULL, NULL, &error));
    CHECK(mw_error_text(error, 1, MW_FIELD_MESSAGE).data == NULL);
    CHECK(mw_error_text(error, 0, 99).data == NULL && mw_error_text(error, 0, -1).data == NULL);
    CHECK(mw_error_text(error, 0, MW_FIELD_KEYWORD).data == NULL);
    mw_error_free(error);
}

static void vocabularies(void) {
    mw_vocabulary *const untouched = (mw_vocabulary *)&error;
    mw_vocabulary *out = untouched;
    mw_token token = {0, MW_TOKEN_NORMAL, {"a", 1}};
    mw_vocabulary_options options;
    memset(&options, 0, sizeof options);
    SAYS(MW_INVALID_ARGUMENT, MW_FIELD_MESSAGE, "size", mw_vocabulary_new(&options, &out, &error));
    options.size = sizeof options;
    SAYS(MW_NULL_POINTER, MW_FIELD_MESSAGE, "options", mw_vocabulary_new(NULL, &out, &error));
    SAYS(MW_NULL_POINTER, MW_FIELD_MESSAGE, "out", mw_vocabulary_new(&options, NULL, &error));
    SAYS(MW_MALFORMED, MW_FIELD_MESSAGE, "no ordinary token", mw_vocabulary_new(&options, &out, &error));
    options.token_count = 1;
    SAYS(MW_NULL_POINTER, MW_FIELD_MESSAGE, "tokens", mw_vocabulary_new(&options, &out, &error));
    options.tokens = &token;
    options.end_token_count = 1;
    SAYS(MW_NULL_POINTER, MW_FIELD_MESSAGE, "end_tokens", mw_vocabulary_new(&options, &out, &error));
    const uint32_t end = 0;
    options.end_tokens = &end;
    SAYS(MW_MALFORMED, MW_FIELD_HINT, "special", mw_vocabulary_new(&options, &out, &error));
    options.end_token_count = 0;
    token.kind = 3;
    SAYS(MW_INVALID_ARGUMENT, MW_FIELD_MESSAGE, "kind", mw_vocabulary_new(&options, &out, &error));
    token.kind = MW_TOKEN_CONTROL;
    token.bytes = text_of("\xff");
    SAYS(MW_INVALID_UTF8, MW_FIELD_MESSAGE, "byte 0", mw_vocabulary_new(&options, &out, &error));
    token.bytes = text_of("");
    SAYS(MW_MALFORMED, MW_FIELD_MESSAGE, "empty name", mw_vocabulary_new(&options, &out, &error));
    token.bytes.data = NULL;
    token.bytes.length = 3;
    SAYS(MW_NULL_POINTER, MW_FIELD_MESSAGE, "bytes", mw_vocabulary_new(&options, &out, &error));
    token.kind = MW_TOKEN_NORMAL;
    token.bytes = text_of("a");
    token.id = 1u << 30;
    SAYS(MW_LIMIT, MW_FIELD_MESSAGE, "allowed", mw_vocabulary_new(&options, &out, &error));
    token.id = 64;
    options.logits = 10;
    SAYS(MW_MALFORMED, MW_FIELD_MESSAGE, "logits", mw_vocabulary_new(&options, &out, &error));
    mw_token twice[2] = {{0, MW_TOKEN_NORMAL, {"a", 1}}, {0, MW_TOKEN_NORMAL, {"b", 1}}};
    options.logits = 0;
    options.tokens = twice;
    options.token_count = 2;
    SAYS(MW_MALFORMED, MW_FIELD_MESSAGE, "twice", mw_vocabulary_new(&options, &out, &error));

    mw_text none = text_of(NULL);
    SAYS(MW_NULL_POINTER, MW_FIELD_MESSAGE, "tokenizer",
         mw_vocabulary_from_tokenizer_json(none, none, NULL, &out, &error));
    SAYS(MW_MALFORMED, MW_FIELD_PLACE, "tokenizer.json",
         mw_vocabulary_from_tokenizer_json(text_of("{"), none, NULL, &out, &error));
    SAYS(MW_UNSUPPORTED, MW_FIELD_HINT, "byte-level",
         mw_vocabulary_from_tokenizer_json(
             text_of("{\"model\": {\"type\": \"WordPiece\", \"vocab\": {\"a\": 0}}}"), none, NULL, &out, &error));
    SAYS(MW_INVALID_ARGUMENT, MW_FIELD_MESSAGE, "tokens",
         mw_vocabulary_from_tokenizer_json(text_of("{}"), none, &options, &out, &error));
    SAYS(MW_NULL_POINTER, MW_FIELD_MESSAGE, "ranks", mw_vocabulary_from_tiktoken(none, NULL, &out, &error));
    SAYS(MW_MALFORMED, MW_FIELD_PLACE, ":2",
         mw_vocabulary_from_tiktoken(text_of("YQ== 0\nnonsense\n"), NULL, &out, &error));
    SAYS(MW_NULL_POINTER, MW_FIELD_MESSAGE, "out",
         mw_vocabulary_from_tiktoken(text_of("YQ== 0\n"), NULL, NULL, &error));
    SAYS(MW_NULL_POINTER, MW_FIELD_MESSAGE, "out",
         mw_vocabulary_from_tokenizer_json(text_of("{}"), none, NULL, NULL, &error));
    CHECK(out == untouched);
    CHECK(mw_mask_words(NULL) == 0);
    mw_vocabulary_free(NULL);
}

/* A struct of a newer header, with one more field. */
struct newer_options {
    mw_constraint_options known;
    size_t news;
};

static void constraints(const mw_vocabulary *vocabulary) {
    mw_constraint *const untouched = (mw_constraint *)&error;
    mw_constraint *out = untouched;
    mw_constraint_options o = no_options();
#define NEW mw_constraint_new(vocabulary, &o, &out, &error)
    SAYS(MW_INVALID_ARGUMENT, MW_FIELD_MESSAGE, "exactly one", NEW);
    o.schema = text_of("true");
    o.format = text_of("harmony");
    SAYS(MW_INVALID_ARGUMENT, MW_FIELD_MESSAGE, "exactly one", NEW);
    o.format = text_of(NULL);
    o.size = 0;
    SAYS(MW_INVALID_ARGUMENT, MW_FIELD_MESSAGE, "size", NEW);
    o.size = sizeof o;
    SAYS(MW_NULL_POINTER, MW_FIELD_MESSAGE, "vocabulary", mw_constraint_new(NULL, &o, &out, &error));
    SAYS(MW_NULL_POINTER, MW_FIELD_MESSAGE, "options", mw_constraint_new(vocabulary, NULL, &out, &error));
    SAYS(MW_NULL_POINTER, MW_FIELD_MESSAGE, "out", mw_constraint_new(vocabulary, &o, NULL, &error));
    FAILS(MW_NULL_POINTER, mw_constraint_new(NULL, NULL, NULL, NULL));
    SAYS(MW_NULL_POINTER, MW_FIELD_MESSAGE, "options", mw_check(vocabulary, NULL, &error));

    struct newer_options newer;
    memset(&newer, 0, sizeof newer);
    newer.known = o;
    newer.known.size = sizeof newer;
    OK(mw_check(vocabulary, &newer.known, NULL));
    newer.news = 1;
    SAYS(MW_INVALID_ARGUMENT, MW_FIELD_MESSAGE, "does not know", mw_check(vocabulary, &newer.known, &error));

    /* A struct of an older header: what lies beyond its size is not looked at. */
    mw_constraint_options older = o;
    older.size = offsetof(mw_constraint_options, tool_choice);
    memset((char *)&older + older.size, 0xff, sizeof older - older.size);
    OK(mw_check(vocabulary, &older, NULL));

    o.whitespace = 4;
    SAYS(MW_INVALID_ARGUMENT, MW_FIELD_MESSAGE, "whitespace", NEW);
    o.whitespace = 0;
    o.tool_choice = MW_TOOLS_NONE;
    SAYS(MW_INVALID_ARGUMENT, MW_FIELD_MESSAGE, "formats only", NEW);
    o.tool_choice = 0;
    o.start = text_of("turn");
    SAYS(MW_INVALID_ARGUMENT, MW_FIELD_MESSAGE, "languages that have rules", NEW);
    o.start = text_of(NULL);
    o.schema.length = 4;
    o.schema.data = NULL;
    SAYS(MW_NULL_POINTER, MW_FIELD_MESSAGE, "schema", NEW);
    o.schema = text_of("\"\xc3");
    SAYS(MW_INVALID_UTF8, MW_FIELD_MESSAGE, "schema", NEW);
    o.schema = text_of("{");
    SAYS(MW_MALFORMED, MW_FIELD_SOURCE, "schema", NEW);
    o.schema = text_of("");
    SAYS(MW_MALFORMED, MW_FIELD_SOURCE, "schema", NEW);
    o.schema = text_of("{\"items\": {\"type\": 7}}");
    SAYS(MW_MALFORMED, MW_FIELD_POINTER, "#/items/type", NEW);
    o.schema = text_of("{\"items\": {\"pattern\": \"(a)\\\\1\"}}");
    SAYS(MW_UNSUPPORTED, MW_FIELD_POINTER, "#/items/pattern", NEW);
    SAYS(MW_UNSUPPORTED, MW_FIELD_KEYWORD, "pattern", NEW);
    SAYS(MW_UNSUPPORTED, MW_FIELD_REASON, "back-reference", NEW);
    o.schema = text_of("{\"properties\": {\"x\": {\"pattern\": \"(a)\\\\1\"}, \"y\": {\"type\": 7}}}");
    error = NULL;
    FAILS(MW_UNSUPPORTED, mw_check(NULL, &o, &error));
    CHECK(mw_error_count(error) == 2);
    CHECK(text_is(mw_error_text(error, 1, MW_FIELD_POINTER), "#/properties/y/type"));
    mw_error_free(error);
    o.schema = text_of("false");
    SAYS(MW_UNSATISFIABLE, MW_FIELD_POINTER, "#", NEW);
    char deep[400];
    memset(deep, '[', sizeof deep);
    o.schema.data = deep;
    o.schema.length = sizeof deep;
    SAYS(MW_LIMIT, MW_FIELD_MESSAGE, "256 allowed", NEW);
    o.schema = text_of("{\"type\": \"string\", \"pattern\": \"^[a-z]{3,9}$\"}");
    o.work = 100;
    SAYS(MW_LIMIT, MW_FIELD_MESSAGE, "100 allowed", NEW);
    o.work = 0;

    const uint32_t beyond = 5000;
    o.schema = text_of("true");
    o.stop_token_count = 1;
    SAYS(MW_NULL_POINTER, MW_FIELD_MESSAGE, "stop_tokens", NEW);
    o.stop_tokens = &beyond;
    SAYS(MW_INVALID_ARGUMENT, MW_FIELD_MESSAGE, "5000", NEW);
    o.stop_token_count = 0;

    o.schema = text_of(NULL);
    o.format = text_of("morse");
    SAYS(MW_INVALID_ARGUMENT, MW_FIELD_MESSAGE, "harmony", NEW);
    o.format = text_of("harmony");
    o.start = text_of("nowhere");
    SAYS(MW_INVALID_ARGUMENT, MW_FIELD_MESSAGE, "assistant-turn", NEW);
    o.start = text_of(NULL);
    o.tool_choice = MW_TOOLS_REQUIRED;
    SAYS(MW_INVALID_ARGUMENT, MW_FIELD_MESSAGE, "no tools", NEW);
    o.tool_choice = MW_TOOLS_NAMED;
    SAYS(MW_INVALID_ARGUMENT, MW_FIELD_MESSAGE, "tool_name", NEW);
    o.tool_name = text_of("other");
    SAYS(MW_INVALID_ARGUMENT, MW_FIELD_MESSAGE, "other", NEW);
    o.tool_choice = MW_TOOLS_AUTO;
    SAYS(MW_INVALID_ARGUMENT, MW_FIELD_MESSAGE, "tool_name", NEW);
    o.tool_name = text_of(NULL);
    o.tool_choice = 4;
    SAYS(MW_INVALID_ARGUMENT, MW_FIELD_MESSAGE, "tool_choice", NEW);
    o.tool_choice = MW_TOOLS_NONE;
    o.tool_choice_text = text_of("none");
    SAYS(MW_INVALID_ARGUMENT, MW_FIELD_MESSAGE, "tool_choice_text", NEW);
    o.tool_choice = 0;
    o.tool_choice_text = text_of("{\"type\": \"tool\", \"name\": 3}");
    SAYS(MW_INVALID_ARGUMENT, MW_FIELD_MESSAGE, "tool_choice_text", NEW);
    o.tool_choice_text = text_of("required");
    SAYS(MW_INVALID_ARGUMENT, MW_FIELD_MESSAGE, "no tools", NEW);
    o.tool_choice_text = text_of(NULL);
    o.parallel_calls = -1;
    SAYS(MW_INVALID_ARGUMENT, MW_FIELD_MESSAGE, "parallel_calls", NEW);
    o.parallel_calls = 0;
    o.analysis = 2;
    SAYS(MW_INVALID_ARGUMENT, MW_FIELD_MESSAGE, "analysis", NEW);
    o.analysis = 0;
    mw_text id = text_of("not an id");
    o.used_call_id_count = 1;
    SAYS(MW_NULL_POINTER, MW_FIELD_MESSAGE, "used_call_ids", NEW);
    o.used_call_ids = &id;
    SAYS(MW_INVALID_ARGUMENT, MW_FIELD_MESSAGE, "call id", NEW);
    o.used_call_id_count = 0;
    o.tools = text_of("[");
    SAYS(MW_MALFORMED, MW_FIELD_PLACE, "1:2", NEW);
    o.tools = text_of("[{\"type\": \"function\", \"function\": {\"name\": \"a b\"}}]");
    SAYS(MW_MALFORMED, MW_FIELD_POINTER, "#/0", NEW);

    /* A check finds all that is wrong; a constraint stops at the first. */
    o.tools = text_of("[{\"name\": \"a\", \"parameters\": {\"properties\": {\"x\": {\"pattern\": \"(a)\\\\1\"},"
                      "                                                 \"y\": {\"minimum\": true}}}},"
                      " {\"name\": \"b\", \"parameters\": {\"type\": \"object\"}},"
                      " {\"name\": \"c\", \"parameters\": {\"type\": 1}}]");
    o.response_schema = text_of("{\"pattern\": \"(a)\\\\1\"}");
    error = NULL;
    FAILS(MW_UNSUPPORTED, mw_check(vocabulary, &o, &error));
    CHECK(mw_error_count(error) == 4);
    CHECK(text_is(mw_error_text(error, 0, MW_FIELD_POINTER), "#/0/parameters/properties/x/pattern"));
    CHECK(text_is(mw_error_text(error, 0, MW_FIELD_SOURCE), "tools"));
    CHECK(text_has(mw_error_text(error, 0, MW_FIELD_MESSAGE), "functions.a"));
    CHECK(text_is(mw_error_text(error, 1, MW_FIELD_POINTER), "#/0/parameters/properties/y/minimum"));
    CHECK(text_is(mw_error_text(error, 2, MW_FIELD_POINTER), "#/2/parameters/type"));
    CHECK(text_is(mw_error_text(error, 3, MW_FIELD_SOURCE), "response_schema"));
    mw_error_free(error);
    error = NULL;
    FAILS(MW_UNSUPPORTED, NEW);
    CHECK(mw_error_count(error) == 1);
    mw_error_free(error);

    o = no_options();
    o.grammar = text_of("a = b\nc = d\n");
    error = NULL;
    FAILS(MW_MALFORMED, NEW);
    CHECK(mw_error_count(error) == 2);
    CHECK(text_is(mw_error_text(error, 1, MW_FIELD_PLACE), "2:5"));
    mw_error_free(error);
    o.grammar = text_of("turn = <nonsense>");
    o.start = text_of("turn");
    SAYS(MW_MALFORMED, MW_FIELD_SOURCE, "grammar", NEW);
    o.grammar = text_of("turn = <tool.name> \" \" <tool.arguments>");
    SAYS(MW_UNSATISFIABLE, MW_FIELD_MESSAGE, "no text", NEW);

    /* A vocabulary that cannot spell what JSON may need, or that has no end token. */
    mw_token tokens[2] = {{0, MW_TOKEN_NORMAL, {"a", 1}}, {1, MW_TOKEN_CONTROL, {"<end>", 5}}};
    const uint32_t end = 1;
    mw_vocabulary_options small;
    memset(&small, 0, sizeof small);
    small.size = sizeof small;
    small.tokens = tokens;
    small.token_count = 2;
    mw_vocabulary *one = NULL;
    OK(mw_vocabulary_new(&small, &one, NULL));
    o = no_options();
    o.grammar = text_of("turn = %s\"a\"");
    o.start = text_of("turn");
    SAYS(MW_INVALID_ARGUMENT, MW_FIELD_MESSAGE, "end token", mw_constraint_new(one, &o, &out, &error));
    mw_vocabulary_free(one);
    small.end_tokens = &end;
    small.end_token_count = 1;
    OK(mw_vocabulary_new(&small, &one, NULL));
    OK(mw_check(one, &o, NULL));
    o.grammar = text_of("turn = %s\"b\"");
    SAYS(MW_UNSATISFIABLE, MW_FIELD_MESSAGE, "spell", mw_check(one, &o, &error));
    OK(mw_check(NULL, &o, NULL));
    o = no_options();
    o.schema = text_of("true");
    SAYS(MW_UNSUPPORTED, MW_FIELD_MESSAGE, "single-byte", mw_constraint_new(one, &o, &out, &error));
    mw_vocabulary_free(one);
    CHECK(out == untouched);
#undef NEW

    uint32_t stop[1];
    size_t count = 77;
    mw_constraint *constraint = schema_constraint(vocabulary, "true");
    FAILS(MW_NULL_POINTER, mw_stop_tokens(NULL, stop, 1, &count, NULL));
    FAILS(MW_NULL_POINTER, mw_stop_tokens(constraint, NULL, 1, &count, NULL));
    FAILS(MW_NULL_POINTER, mw_stop_tokens(constraint, stop, 1, NULL, NULL));
    CHECK(count == 77);
    mw_constraint_free(constraint);
    mw_constraint_free(NULL);
}

static int is_zero(const uint32_t *row, size_t words) {
    for (size_t word = 0; word < words; word++) {
        if (row[word] != 0) {
            return 0;
        }
    }
    return 1;
}

static void sessions(const mw_vocabulary *vocabulary) {
    mw_constraint *constraint = schema_constraint(vocabulary, "{\"enum\": [\"hello\"]}");
    mw_session *session = session_of(constraint), *out = session;
    const uint32_t good[] = {'"', ID_HELLO, '"', ID_EOS}, bad[] = {'"', 'x'};
    const uint32_t never[] = {ID_UNUSED, ID_START, ID_EOS, TOKEN_COUNT, 0xffffffffu};
    size_t count = 77;

    FAILS(MW_NULL_POINTER, mw_session_new(NULL, &out, NULL));
    FAILS(MW_NULL_POINTER, mw_session_new(constraint, NULL, NULL));
    FAILS(MW_NULL_POINTER, mw_session_fork(NULL, &out, NULL));
    FAILS(MW_NULL_POINTER, mw_session_fork(session, NULL, NULL));
    CHECK(out == session);
    FAILS(MW_NULL_POINTER, mw_session_reset(NULL, NULL));
    CHECK(mw_session_state(NULL) == 0 && mw_session_length(NULL) == 0);
    mw_session_free(NULL);

    FAILS(MW_NULL_POINTER, mw_accept(NULL, good, 1, NULL));
    FAILS(MW_NULL_POINTER, mw_accept(session, NULL, 1, NULL));
    OK(mw_accept(session, NULL, 0, NULL));
    SAYS(MW_NOT_ALLOWED, MW_FIELD_MESSAGE, "120", mw_accept(session, bad, 2, &error));
    CHECK(mw_session_length(session) == 0);
    for (size_t i = 0; i < sizeof never / sizeof never[0]; i++) {
        FAILS(MW_NOT_ALLOWED, mw_accept(session, &never[i], 1, NULL));
        FAILS(MW_NOT_ALLOWED, mw_allows(session, never[i]));
    }
    FAILS(MW_NULL_POINTER, mw_allows(NULL, 0));
    FAILS(MW_NULL_POINTER, mw_validate(NULL, good, 4, &count, NULL));
    FAILS(MW_NULL_POINTER, mw_validate(session, NULL, 4, &count, NULL));
    FAILS(MW_NULL_POINTER, mw_validate(session, good, 4, NULL, NULL));
    CHECK(count == 77);
    OK(mw_validate(session, bad, 2, &count, NULL));
    CHECK(count == 1);
    OK(mw_validate(session, good, 4, &count, NULL));
    CHECK(count == 4 && mw_session_length(session) == 0);
    SAYS(MW_INVALID_ARGUMENT, MW_FIELD_MESSAGE, "take back", mw_rollback(session, 1, &error));
    FAILS(MW_NULL_POINTER, mw_rollback(NULL, 0, NULL));
    OK(mw_rollback(session, 0, NULL));

    char bytes[4];
    uint32_t tokens[4];
    count = 77;
    FAILS(MW_NULL_POINTER, mw_forced_bytes(NULL, bytes, 4, &count, NULL));
    FAILS(MW_NULL_POINTER, mw_forced_bytes(session, NULL, 4, &count, NULL));
    FAILS(MW_NULL_POINTER, mw_forced_bytes(session, bytes, 4, NULL, NULL));
    FAILS(MW_NULL_POINTER, mw_forced_tokens(NULL, NULL, NULL, tokens, 4, &count, NULL));
    FAILS(MW_NULL_POINTER, mw_forced_tokens(session, NULL, NULL, NULL, 4, &count, NULL));
    FAILS(MW_NULL_POINTER, mw_forced_tokens(session, NULL, NULL, tokens, 4, NULL, NULL));
    CHECK(count == 77);

    /* Whatever goes wrong, the row is empty. */
    uint32_t row[WORDS + 1];
    memset(row, 0xff, sizeof row);
    FAILS(MW_NULL_POINTER, mw_fill_mask(NULL, row, WORDS, NULL));
    CHECK(is_zero(row, WORDS) && row[WORDS] == 0xffffffffu);
    FAILS(MW_NULL_POINTER, mw_fill_mask(session, NULL, WORDS, NULL));
    FAILS(MW_NULL_POINTER, mw_fill_mask(session, NULL, 0, NULL));
    memset(row, 0xff, sizeof row);
    SAYS(MW_INVALID_ARGUMENT, MW_FIELD_MESSAGE, "words", mw_fill_mask(session, row, WORDS + 1, &error));
    CHECK(is_zero(row, WORDS + 1));
    FAILS(MW_INVALID_ARGUMENT, mw_fill_mask(session, row, 0, NULL));
    FAILS(MW_INVALID_ARGUMENT, mw_fill_mask(session, (uint32_t *)((char *)row + 1), WORDS, NULL));
    OK(mw_accept(session, good, 4, NULL));
    memset(row, 0xff, sizeof row);
    SAYS(MW_ENDED, MW_FIELD_MESSAGE, "ended", mw_fill_mask(session, row, WORDS, &error));
    CHECK(is_zero(row, WORDS));
    FAILS(MW_ENDED, mw_accept(session, good, 1, NULL));
    FAILS(MW_NOT_ALLOWED, mw_allows(session, ID_EOS));
    OK(mw_forced_tokens(session, NULL, NULL, tokens, 4, &count, NULL));
    CHECK(count == 0);
    OK(mw_rollback(session, 1, NULL));
    OK(mw_allows(session, ID_EOS));

    /* What may be done twice: a session in two jobs, a job in two calls, a constraint's sessions. */
    uint32_t rows[2][WORDS];
    mw_mask_job jobs[2];
    memset(jobs, 0, sizeof jobs);
    jobs[0].session = jobs[1].session = session;
    jobs[0].rows = rows[0];
    jobs[1].rows = rows[1];
    for (int turn = 0; turn < 2; turn++) {
        OK(mw_fill_masks(jobs, 2, WORDS, NULL));
        CHECK(memcmp(rows[0], rows[1], sizeof rows[0]) == 0 && allowed(rows[0], ID_EOS));
    }
    jobs[0].status = jobs[1].status = 77;
#define REFUSED(expected, call)                                                       \
    do {                                                                            \
        memset(rows, 0xff, sizeof rows);                                            \
        FAILS(expected, call);                                                        \
        CHECK(is_zero(rows[0], WORDS) && jobs[0].status == 77 && jobs[1].status == 77); \
    } while (0)
    jobs[1].rows = rows[0] + 1;
    REFUSED(MW_INVALID_ARGUMENT, mw_fill_masks(jobs, 2, WORDS, NULL));
    jobs[1].rows = rows[0];
    REFUSED(MW_INVALID_ARGUMENT, mw_fill_masks(jobs, 2, WORDS, NULL));
    jobs[1].rows = NULL;
    REFUSED(MW_NULL_POINTER, mw_fill_masks(jobs, 2, WORDS, NULL));
    jobs[1].rows = rows[1];
    jobs[1].session = NULL;
    REFUSED(MW_NULL_POINTER, mw_fill_masks(jobs, 2, WORDS, NULL));
    jobs[1].session = session;
    jobs[1].draft_length = 0;
    REFUSED(MW_INVALID_ARGUMENT, mw_fill_masks(jobs, 1, 2 * WORDS, NULL));
    jobs[1].draft_length = SIZE_MAX;
    REFUSED(MW_INVALID_ARGUMENT, mw_fill_masks(jobs, 2, WORDS, NULL));
    FAILS(MW_NULL_POINTER, mw_fill_masks(NULL, 1, WORDS, NULL));

    float logits[64];
    FAILS(MW_NULL_POINTER, mw_apply_mask(NULL, 2, logits, 64, MW_LOGIT_F32, NULL));
    FAILS(MW_NULL_POINTER, mw_apply_mask(row, 2, NULL, 64, MW_LOGIT_F32, NULL));
    SAYS(MW_INVALID_ARGUMENT, MW_FIELD_MESSAGE, "type", mw_apply_mask(row, 2, logits, 64, 3, &error));
    FAILS(MW_INVALID_ARGUMENT, mw_apply_mask(row, 2, (char *)logits + 1, 60, MW_LOGIT_BF16, NULL));

    mw_session_free(session);
    mw_constraint_free(constraint);
}

/* A grammar that compiles, and that after its first byte could be in more places than a state may have. */
static void limits_of_running(const mw_vocabulary *vocabulary) {
    enum { RULES = 5000 };
    static char text[RULES * 64];
    size_t at = (size_t)sprintf(text, "turn = \"x\" ( r0");
    for (int i = 1; i < RULES; i++) {
        at += (size_t)sprintf(text + at, " / r%d", i);
    }
    at += (size_t)sprintf(text + at, " )\n");
    for (int i = 0; i < RULES; i++) {
        at += (size_t)sprintf(text + at, "r%d = \"(\" r%d \")\" / \"%d\"\n", i, i, i);
    }
    CHECK(at < sizeof text);
    mw_constraint_options o = no_options();
    o.grammar = text_of(text);
    o.start = text_of("turn");
    mw_constraint *constraint = NULL;
    OK(mw_constraint_new(vocabulary, &o, &constraint, NULL));
    mw_session *session = session_of(constraint);

    const uint32_t x = 'x';
    size_t count = 77;
    uint32_t row[WORDS];
    memset(row, 0xff, sizeof row);
    SAYS(MW_LIMIT, MW_FIELD_MESSAGE, "4096 allowed", mw_accept(session, &x, 1, &error));
    SAYS(MW_LIMIT, MW_FIELD_MESSAGE, "4096 allowed", mw_fill_mask(session, row, WORDS, &error));
    CHECK(is_zero(row, WORDS));
    mw_mask_job job;
    memset(&job, 0, sizeof job);
    job.session = session;
    job.rows = row;
    memset(row, 0xff, sizeof row);
    SAYS(MW_LIMIT, MW_FIELD_MESSAGE, "jobs[0]", mw_fill_masks(&job, 1, WORDS, &error));
    CHECK(job.status == MW_LIMIT && is_zero(row, WORDS));
    SAYS(MW_LIMIT, MW_FIELD_MESSAGE, "4096 allowed", mw_validate(session, &x, 1, &count, &error));
    CHECK(count == 77 && mw_session_length(session) == 0);
    FAILS(MW_LIMIT, mw_allows(session, x));
    mw_session_free(session);
    mw_constraint_free(constraint);
}

int main(void) {
    errors_themselves();
    vocabularies();
    mw_vocabulary *vocabulary = byte_vocabulary(0);
    constraints(vocabulary);
    sessions(vocabulary);
    limits_of_running(vocabulary);
    mw_vocabulary_free(vocabulary);
    return 0;
}
