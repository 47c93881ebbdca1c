/* Every language and option of a request, and what of sessions depends on it. */
#include "check.h"

#define WORDS ((TOKEN_COUNT + 31) / 32)

/* Whether a text is one of the constraint's, byte by byte. */
static int takes(const mw_constraint *constraint, const char *text) {
    mw_session *session = session_of(constraint);
    int takes = 1;
    for (; takes && *text != '\0'; text++) {
        uint32_t id = (unsigned char)*text;
        takes = mw_accept(session, &id, 1, NULL) == MW_OK;
    }
    takes = takes && (mw_session_state(session) & MW_STATE_MAY_END);
    mw_session_free(session);
    return takes;
}

static mw_constraint *made(const mw_vocabulary *vocabulary, const mw_constraint_options *options) {
    mw_constraint *constraint = NULL;
    mw_error *error = NULL;
    int32_t status = mw_constraint_new(vocabulary, options, &constraint, &error);
    if (status != MW_OK) {
        mw_text message = mw_error_text(error, 0, MW_FIELD_MESSAGE);
        fprintf(stderr, "%.*s\n", (int)message.length, message.data);
    }
    OK(status);
    return constraint;
}

/* Of a language: a text that belongs to it, and one that does not. */
static void language(const mw_vocabulary *vocabulary, const mw_constraint_options *options, const char *in,
                     const char *out) {
    mw_constraint *constraint = made(vocabulary, options);
    CHECK(takes(constraint, in));
    CHECK(!takes(constraint, out));
    mw_constraint_free(constraint);
}

static void languages(const mw_vocabulary *vocabulary) {
    mw_constraint_options options = no_options();
    options.regex = text_of("[0-9]{3}");
    language(vocabulary, &options, "123", "12");
    options = no_options();
    options.choice = text_of("[\"yes\", \"no\"]");
    language(vocabulary, &options, "no", "n");
    options = no_options();
    options.ebnf = text_of("root ::= \"a\" root | \"b\"");
    language(vocabulary, &options, "aab", "aa");
    options.start = text_of("root");
    language(vocabulary, &options, "b", "a");
    options = no_options();
    options.lark = text_of("start: start \"+\" INT | INT\n%import common.INT\nother: \"o\"");
    language(vocabulary, &options, "1+23", "1+");
    options.start = text_of("other");
    language(vocabulary, &options, "o", "1");
    options = no_options();
    options.structural_tag =
        text_of("{\"type\": \"structural_tag\", \"format\": {\"type\": \"tag\", \"begin\": \"<n>\", \"content\": "
                "{\"type\": \"json_schema\", \"json_schema\": {\"type\": \"integer\"}}, \"end\": \"</n>\"}}");
    language(vocabulary, &options, "<n>5</n>", "<n>x</n>");
    CHECK(mw_is_lark(text_of("start: \"a\"")) == 1);
    CHECK(mw_is_lark(text_of("root ::= \"a\"")) == 0);
    CHECK(mw_is_lark(text_of(NULL)) == 0);
}

/* What is wrong has a status, its option and a place. */
static void refused(const mw_vocabulary *vocabulary, const mw_constraint_options *options, int32_t status,
                    const char *source, const char *place, int line) {
    mw_error *error = NULL;
    check_status(mw_check(vocabulary, options, &error), status, __FILE__, line, "mw_check");
    CHECK(source == NULL || text_is(mw_error_text(error, 0, MW_FIELD_SOURCE), source));
    CHECK(place == NULL || text_is(mw_error_text(error, 0, MW_FIELD_PLACE), place));
    mw_error_free(error);
}

#define REFUSED(...) refused(__VA_ARGS__, __LINE__)

static void refusals(const mw_vocabulary *vocabulary) {
    mw_constraint_options options = no_options();
    options.lark = text_of("start: \"a\" missing");
    REFUSED(vocabulary, &options, MW_MALFORMED, "lark", "1:12");
    options.lark = text_of("start[max_tokens=3]: \"a\"");
    REFUSED(vocabulary, &options, MW_UNSUPPORTED, "lark", NULL);
    options.lark = text_of("start: \"a\"");
    options.start = text_of("begin");
    REFUSED(vocabulary, &options, MW_INVALID_ARGUMENT, "lark", NULL);
    options = no_options();
    options.ebnf = text_of("root ::= \"a\" (= \"b\") \"b\"");
    REFUSED(vocabulary, &options, MW_UNSUPPORTED, "ebnf", NULL);

    options = no_options();
    options.regex = text_of("(a|b)\\1");
    REFUSED(vocabulary, &options, MW_UNSUPPORTED, "regex", NULL);
    options = no_options();
    options.lark = text_of("start: /(a|b)\\1/");
    REFUSED(vocabulary, &options, MW_UNSUPPORTED, "lark", NULL);

    /* What belongs to chat formats, to schemas, or to nobody. */
    options = no_options();
    options.regex = text_of("a");
    options.built_in_tools = MW_BUILT_IN_PYTHON;
    REFUSED(vocabulary, &options, MW_INVALID_ARGUMENT, NULL, NULL);
    options.built_in_tools = 0;
    options.prompt = text_of("a");
    REFUSED(vocabulary, &options, MW_INVALID_ARGUMENT, NULL, NULL);
    options.prompt = text_of(NULL);
    options.dialect = 5;
    REFUSED(vocabulary, &options, MW_INVALID_ARGUMENT, NULL, NULL);
    options = no_options();
    options.schema = text_of("{}");
    options.most_whitespace = 2;
    options.whitespace = MW_WHITESPACE_COMPACT;
    REFUSED(vocabulary, &options, MW_INVALID_ARGUMENT, NULL, NULL);
    options.most_whitespace = 0;
    options.whitespace = 0;
    options.whitespace_pattern = text_of("_");
    REFUSED(vocabulary, &options, MW_MALFORMED, "whitespace_pattern", NULL);
    options = no_options();
    options.format = text_of("harmony");
    options.built_in_tools = 4;
    REFUSED(vocabulary, &options, MW_INVALID_ARGUMENT, NULL, NULL);
    options.built_in_tools = 0;
    options.reflect = MW_THOUGHT_OFFERED; /* Harmony has none */
    REFUSED(vocabulary, &options, MW_INVALID_ARGUMENT, NULL, NULL);
}

/* How JSON is spelt and schemas are read. */
static void spelling(const mw_vocabulary *vocabulary) {
    mw_constraint_options options = no_options();
    options.schema = text_of("{\"type\": \"array\", \"items\": {\"type\": \"number\"}}");
    language(vocabulary, &options, "[   1e5]", "[1");
    options.most_whitespace = 2;
    language(vocabulary, &options, "[  1]", "[   1]");
    options.most_whitespace = 0;
    options.whitespace_pattern = text_of(" ?");
    language(vocabulary, &options, "[ 1]", "[\n1]");
    options.whitespace_pattern = text_of(NULL);
    options.whitespace = MW_WHITESPACE_PRETTY;
    language(vocabulary, &options, "[\n  1]", "[  1]");
    options.whitespace = MW_WHITESPACE_COMPACT;
    options.numbers = MW_NUMBERS_PLAIN;
    language(vocabulary, &options, "[1.5]", "[1.0000000000000000000000]");

    options = no_options();
    options.schema = text_of("{\"type\": \"string\", \"pattern\": \"^\\\\d$\"}");
    language(vocabulary, &options, "\"1\"", "\"\xd9\xa1\"");
    options.dialect = MW_DIALECT_PYTHON;
    language(vocabulary, &options, "\"\xd9\xa1\"", "\"a\"");
    options = no_options();
    options.regex = text_of("\\d");
    language(vocabulary, &options, "\xd9\xa1", "a");
    options.dialect = MW_DIALECT_ECMA;
    language(vocabulary, &options, "1", "\xd9\xa1");

    options = no_options();
    options.schema = text_of("{\"type\": \"string\", \"nullable\": true}");
    language(vocabulary, &options, "\"a\"", "null");
    options.draft = MW_DRAFT_OPENAPI_3_0;
    language(vocabulary, &options, "null", "1");

    mw_document document;
    document.uri = text_of("https://example.org/units");
    document.text = text_of("{\"enum\": [\"m\"]}");
    options = no_options();
    options.schema = text_of("{\"$ref\": \"https://example.org/units\"}");
    REFUSED(vocabulary, &options, MW_UNSUPPORTED, "schema", NULL);
    options.documents = &document;
    options.document_count = 1;
    language(vocabulary, &options, "\"m\"", "\"k\"");
}

/* Accepts a text with the names of control tokens in it; the length that was taken. */
static size_t read_turn(mw_session *session, const char *text) {
    static const char *const names[] = {"<|start|>", "<|channel|>", "<|message|>", "<|end|>",
                                        "<|call|>",  "<|return|>",  "<|constrain|>"};
    size_t at = 0;
    while (text[at] != '\0') {
        uint32_t id = (unsigned char)text[at];
        size_t length = 1;
        for (uint32_t i = 0; i < 7; i++) {
            if (strncmp(text + at, names[i], strlen(names[i])) == 0) {
                id = ID_START + i;
                length = strlen(names[i]);
            }
        }
        if (mw_accept(session, &id, 1, NULL) != MW_OK) {
            break;
        }
        at += length;
    }
    return at;
}

static void turn(const mw_vocabulary *vocabulary, const mw_constraint_options *options, const char *text,
                 int whole) {
    mw_constraint *constraint = made(vocabulary, options);
    mw_session *session = session_of(constraint);
    size_t length = read_turn(session, text);
    CHECK((length == strlen(text)) == whole);
    CHECK(!whole || (mw_session_state(session) & MW_STATE_MAY_END));
    mw_session_free(session);
    mw_constraint_free(constraint);
}

static void chats(const mw_vocabulary *vocabulary) {
    static const char tools[] = "[{\"name\": \"f\", \"parameters\": {\"type\": \"object\", \"properties\": {}, "
                                "\"additionalProperties\": false}}]";
    static const char commentary[] = " to=functions.f<|channel|>commentary<|message|>{}<|call|>";
    static const char analysis[] = " to=functions.f<|channel|>analysis<|message|>{}<|call|>";
    static const char constrained[] = " to=functions.f<|channel|>commentary <|constrain|>json<|message|>{}<|call|>";
    static const char python[] = " to=python<|channel|>analysis<|message|>1<|call|>";
    mw_constraint_options options = no_options();
    options.format = text_of("harmony");
    options.tools = text_of(tools);
    turn(vocabulary, &options, commentary, 1);
    turn(vocabulary, &options, analysis, 0);
    turn(vocabulary, &options, python, 0);
    options.functions_on_analysis = MW_FUNCTIONS_ON_ANALYSIS_ALLOWED;
    turn(vocabulary, &options, analysis, 1);
    options.functions_on_analysis = 0;
    options.built_in_tools = MW_BUILT_IN_PYTHON;
    turn(vocabulary, &options, python, 1);
    options.built_in_tools = 0;
    options.profile = MW_PROFILE_HIP_1;
    turn(vocabulary, &options, commentary, 0);
    turn(vocabulary, &options, constrained, 1);

    /* Bodies are spelt as programs spell them unless it is asked otherwise. */
    static const char wide[] = " to=functions.f<|channel|>commentary<|message|>{   }<|call|>";
    options.profile = 0;
    turn(vocabulary, &options, wide, 0);
    options.whitespace = MW_WHITESPACE_JSON;
    turn(vocabulary, &options, wide, 1);
    options.whitespace = 0;
    static const char late[] = " to=functions.f<|channel|>commentary<|message|>{\"deadline_ms\": 5}<|call|>";
    turn(vocabulary, &options, late, 0);
    options.deadlines = MW_DEADLINES_ALLOWED;
    turn(vocabulary, &options, late, 1);
    options.deadlines = 0;

    /* A flag of a format of one's own. */
    const mw_text flag = text_of("loud");
    options = no_options();
    options.grammar = text_of("assistant-turn = <if loud> \"!\" / \"a\"");
    turn(vocabulary, &options, "!", 0);
    options.flags = &flag;
    options.flag_count = 1;
    turn(vocabulary, &options, "!", 1);

    /* Thoughts, and how a sequence begins and ends. */
    options = no_options();
    options.format = text_of("openchatml-0.1");
    options.reason = MW_THOUGHT_DEMANDED;
    options.eos = text_of("<|endoftext|>");
    options.bos = text_of("<|startoftext|>");
    mw_constraint_free(made(vocabulary, &options));
}

/* Where a turn begins: a prompt as text and as tokens, and leads. */
static void prompts(const mw_vocabulary *vocabulary) {
    static const char tools[] = "[{\"name\": \"f\", \"parameters\": {\"type\": \"object\", \"properties\": {}, "
                                "\"additionalProperties\": false}}]";
    static const char prompt[] = "<|start|>user<|message|>Hi<|end|><|start|>assistant";
    mw_constraint_options options = no_options();
    options.format = text_of("harmony");
    options.tools = text_of(tools);
    options.prompt = text_of(prompt);
    turn(vocabulary, &options, "<|channel|>final<|message|>a<|return|>", 1);
    options.prompt = text_of("<|start|>user<|message|>Hi<|end|><|start|>assistant<|channel|>final<|message|>a");
    turn(vocabulary, &options, "b<|return|>", 1);
    turn(vocabulary, &options, "<|channel|>final<|message|>a<|return|>", 0);
    options.prompt = text_of("<|start|>user<|message|>Hi<|end|>");
    REFUSED(vocabulary, &options, MW_INVALID_ARGUMENT, NULL, NULL);
    options.prompt = text_of(NULL);

    static const uint32_t tokens[] = {ID_START, 'u', 's', 'e', 'r', ID_MESSAGE, 'H', ID_END, ID_START, 'a', 's', 's',
                                      'i', 's', 't', 'a', 'n', 't', ID_CHANNEL, 'f', 'i', 'n', 'a', 'l', ID_MESSAGE};
    options.prompt_tokens = tokens;
    options.prompt_token_count = sizeof tokens / sizeof *tokens;
    turn(vocabulary, &options, "b<|return|>", 1);
    REFUSED(NULL, &options, MW_INVALID_ARGUMENT, NULL, NULL);
    options.prompt = text_of(prompt);
    REFUSED(vocabulary, &options, MW_INVALID_ARGUMENT, NULL, NULL);
    options.prompt = text_of(NULL);
    options.lead = text_of("a");
    REFUSED(vocabulary, &options, MW_INVALID_ARGUMENT, NULL, NULL);

    /* The ids that a conversation has used come from the prompt and from the host. */
    static const char call[] = " to=functions.f call_id=a<|channel|>commentary<|message|>{}<|call|>";
    mw_text used = text_of("a");
    options = no_options();
    options.format = text_of("openchatml-2.2");
    options.tools = text_of(tools);
    turn(vocabulary, &options, call, 1);
    options.used_call_ids = &used;
    options.used_call_id_count = 1;
    turn(vocabulary, &options, call, 0);
    options.used_call_id_count = 0;
    mw_open_call open;
    open.id = text_of("a");
    open.name = text_of("functions.f");
    options.open_calls = &open;
    options.open_call_count = 1;
    turn(vocabulary, &options, call, 0);
    options.open_call_count = 0;
    options.prompt = text_of("<|start|>assistant to=functions.f call_id=a<|channel|>commentary<|message|>{}<|call|>"
                             "<|start|>tool to=assistant call_id=a name=functions.f<|message|>1<|end|><|start|>assistant");
    turn(vocabulary, &options, call, 0);

    /* A beginning of any text. */
    options = no_options();
    options.schema = text_of("{\"enum\": [\"hello\"]}");
    options.lead = text_of("\"he");
    language(vocabulary, &options, "llo\"", "\"hello\"");
    options.lead = text_of("x");
    REFUSED(vocabulary, &options, MW_INVALID_ARGUMENT, NULL, NULL);
    options.lead = text_of(NULL);
    static const uint32_t quoted[] = {'"', ID_HELLO};
    options.lead_tokens = quoted;
    options.lead_token_count = 2;
    language(vocabulary, &options, "\"", "x");
    mw_constraint *constraint = made(vocabulary, &options);
    mw_session *session = session_of(constraint);
    CHECK(mw_session_length(session) == 0);
    FAILS(MW_INVALID_ARGUMENT, mw_rollback(session, 1, NULL));
    mw_session_free(session);
    mw_constraint_free(constraint);
}

static void accepts(const mw_vocabulary *vocabulary) {
    mw_constraint *constraint = schema_constraint(vocabulary, "{\"type\": \"boolean\"}");
    mw_session *session = session_of(constraint);
    const uint32_t tokens[] = {'t', 'r', 'x'};
    size_t taken = 7;
    FAILS(MW_NOT_ALLOWED, mw_accept_with(session, tokens, 3, 0, &taken, NULL));
    CHECK(taken == 7 && mw_session_length(session) == 0);
    OK(mw_accept_with(session, tokens, 3, MW_ACCEPT_PART, &taken, NULL));
    CHECK(taken == 2 && mw_session_length(session) == 2);
    OK(mw_rollback(session, 2, NULL));

    const uint32_t whole[] = {ID_TRUE, ID_EOS, 'x', 'y'};
    FAILS(MW_ENDED, mw_accept_with(session, whole, 4, 0, &taken, NULL));
    OK(mw_accept_with(session, whole, 4, MW_ACCEPT_PART, &taken, NULL));
    CHECK(taken == 2);
    OK(mw_accept_with(session, whole + 2, 2, MW_ACCEPT_AFTER_END, &taken, NULL));
    CHECK(taken == 2 && mw_session_length(session) == 2);
    OK(mw_rollback(session, 1, NULL));
    OK(mw_accept_with(session, whole + 1, 3, MW_ACCEPT_AFTER_END, &taken, NULL));
    CHECK(taken == 3 && mw_session_length(session) == 2);
    FAILS(MW_INVALID_ARGUMENT, mw_accept_with(session, whole, 1, 4, &taken, NULL));
    FAILS(MW_NULL_POINTER, mw_accept_with(session, whole, 1, 0, NULL, NULL));
    mw_session_free(session);

    /* What rows hold that a draft does not lead to. */
    uint32_t rows[4][WORDS], first[WORDS];
    const uint32_t draft[] = {'t', UINT32_MAX, 'u'};
    session = session_of(constraint);
    mw_mask_job job;
    memset(&job, 0, sizeof job);
    job.session = session;
    job.draft = draft;
    job.draft_length = 3;
    job.rows = rows[0];
    OK(mw_fill_masks_with(&job, 1, WORDS, MW_BEYOND_LAST, NULL));
    CHECK(job.accepted == 1 && allowed(rows[1], 'r'));
    CHECK(memcmp(rows[1], rows[2], sizeof rows[1]) == 0 && memcmp(rows[1], rows[3], sizeof rows[1]) == 0);
    memcpy(first, rows[0], sizeof first);
    OK(mw_fill_masks_with(&job, 1, WORDS, MW_BEYOND_ONES, NULL));
    CHECK(memcmp(first, rows[0], sizeof first) == 0 && allowed(rows[1], 'r') && !allowed(rows[1], 'x'));
    for (size_t word = 0; word < WORDS; word++) {
        CHECK(rows[2][word] == UINT32_MAX && rows[3][word] == UINT32_MAX);
    }
    OK(mw_fill_masks_with(&job, 1, WORDS, MW_BEYOND_ZERO, NULL));
    CHECK(allowed(rows[1], 'r') && rows[2][3] == 0 && rows[3][3] == 0);
    FAILS(MW_INVALID_ARGUMENT, mw_fill_masks_with(&job, 1, WORDS, 3, NULL));

    /* Behind an end token, where the row of the end token itself has no mask. */
    const uint32_t ending[] = {ID_TRUE, ID_EOS, 'x'};
    job.draft = ending;
    OK(mw_fill_masks_with(&job, 1, WORDS, MW_BEYOND_ONES, NULL));
    CHECK(job.accepted == 2 && allowed(rows[1], ID_EOS) && !allowed(rows[1], 'x'));
    CHECK(rows[2][0] == UINT32_MAX && rows[3][0] == UINT32_MAX);
    OK(mw_fill_masks_with(&job, 1, WORDS, MW_BEYOND_LAST, NULL));
    CHECK(memcmp(rows[1], rows[2], sizeof rows[1]) == 0 && memcmp(rows[1], rows[3], sizeof rows[1]) == 0);
    mw_session_free(session);
    mw_constraint_free(constraint);
}

/* Bytes that no token spells. */
static void unspelt(void) {
    static const uint32_t end = 2;
    mw_token tokens[3];
    memset(tokens, 0, sizeof tokens);
    for (uint32_t id = 0; id < 3; id++) {
        tokens[id].id = id;
        tokens[id].kind = id == end ? MW_TOKEN_CONTROL : MW_TOKEN_NORMAL;
    }
    tokens[0].bytes = text_of("a");
    tokens[1].bytes = text_of("ab");
    tokens[2].bytes = text_of("<|end|>");
    mw_vocabulary_options options;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.tokens = tokens;
    options.token_count = 3;
    options.end_tokens = &end;
    options.end_token_count = 1;
    mw_vocabulary *vocabulary = NULL;
    OK(mw_vocabulary_new(&options, &vocabulary, NULL));
    mw_constraint_options language = no_options();
    language.regex = text_of("[abc]+");
    mw_constraint *constraint = made(vocabulary, &language);
    char bytes[256];
    size_t count = 0;
    OK(mw_unspelt_bytes(constraint, bytes, sizeof bytes, &count, NULL));
    CHECK(count == 2 && bytes[0] == 'b' && bytes[1] == 'c');
    OK(mw_unspelt_bytes(constraint, NULL, 0, &count, NULL));
    CHECK(count == 2);
    FAILS(MW_NULL_POINTER, mw_unspelt_bytes(NULL, bytes, 1, &count, NULL));
    mw_constraint_free(constraint);
    mw_vocabulary_free(vocabulary);
}

int main(void) {
    mw_vocabulary *vocabulary = byte_vocabulary(0);
    languages(vocabulary);
    refusals(vocabulary);
    spelling(vocabulary);
    chats(vocabulary);
    prompts(vocabulary);
    accepts(vocabulary);
    unspelt();
    mw_vocabulary_free(vocabulary);
    return 0;
}
