/* Sequences of calls over a handful of handles, and what the header promises of each. An input is a list of calls: a byte
 * says which, the bytes behind it are its arguments. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "maskwright.h"

enum { VOCABULARIES = 2, CONSTRAINTS = 3, SESSIONS = 4, READERS = 2, TOKENS = 266, WORDS = 16, MOST = 48 };

#define CHECK(condition)                                                 \
    do {                                                                 \
        if (!(condition)) {                                              \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                     \
        }                                                                \
    } while (0)

typedef struct input {
    const uint8_t *at, *end;
} input;

static mw_vocabulary *vocabularies[VOCABULARIES];
static mw_constraint *constraints[CONSTRAINTS];
static mw_session *sessions[SESSIONS];
static mw_reader *readers[READERS];

static uint32_t byte(input *in) { return in->at < in->end ? *in->at++ : 0; }

static mw_text text_of(const char *string) {
    mw_text text = {string, string == NULL ? 0 : strlen(string)};
    return text;
}

/* Up to `most` bytes of the input, in place. */
static mw_text text(input *in, size_t most) {
    size_t left = (size_t)(in->end - in->at), length = byte(in) % (most + 1);
    left = left == 0 ? 0 : left - 1;
    mw_text text = {(const char *)in->at, length < left ? length : left};
    in->at += text.length;
    return text;
}

/* A token: mostly one that there is. */
static uint32_t token(input *in) {
    uint32_t id = byte(in);
    return id < 250 ? id : id == 255 ? UINT32_MAX : 256 + byte(in) % 16;
}

static size_t tokens(input *in, uint32_t *out) {
    size_t count = byte(in) % 5;
    for (size_t at = 0; at < count; at++) {
        out[at] = token(in);
    }
    return count;
}

/* Looks at an error as a host would, and frees it. */
static void read_error(int32_t status, mw_error *error) {
    CHECK(status >= MW_OK && status < MW_PANIC);
    CHECK(mw_status_name(status).length > 0);
    if (status == MW_OK) {
        CHECK(error == NULL);
        return;
    }
    size_t count = mw_error_count(error);
    CHECK(error == NULL || count > 0);
    for (size_t at = 0; at <= count; at++) {
        for (int32_t field = MW_FIELD_MESSAGE; field <= MW_FIELD_HINT + 1; field++) {
            char copy[8];
            mw_text whole = mw_error_text(error, at, field);
            CHECK(mw_error_copy(error, at, field, copy, sizeof copy) == whole.length);
        }
    }
    CHECK(count == 0 || mw_error_text(error, 0, MW_FIELD_MESSAGE).length > 0);
    mw_error_free(error);
}

/* A call with an error handle, which is then read. */
#define CALL(status, call)           \
    mw_error *error = NULL;          \
    int32_t status = (call);         \
    read_error(status, error)

static void make_vocabulary(input *in) {
    static const char *const names[] = {"{\"", "\": ", "true", "}", "ab", "<|channel|>", "<|message|>",
                                        "<|start|>", "<|return|>", "<|end|>"};
    static char bytes[256];
    mw_token list[TOKENS];
    uint32_t shape = byte(in), ends[] = {264, 265}, slot = byte(in) % VOCABULARIES;
    for (uint32_t id = 0; id < TOKENS; id++) {
        list[id].id = id;
        list[id].kind = id < 261 ? MW_TOKEN_NORMAL : MW_TOKEN_CONTROL;
        if (id < 256) {
            bytes[id] = (char)id;
            list[id].bytes = (mw_text){&bytes[id], 1};
        } else {
            list[id].bytes = text_of(names[id - 256]);
        }
    }
    if (shape % 4 == 1) {
        list[byte(in)].kind = (int32_t)(byte(in) % 5);
    } else if (shape % 4 == 2) {
        list[byte(in)].bytes = text(in, 9);
    }
    mw_vocabulary_options options = {.size = sizeof options, .tokens = list, .token_count = TOKENS,
                                     .end_tokens = ends, .end_token_count = shape / 4 % 3,
                                     .logits = shape / 16 % 4 == 3 ? TOKENS + byte(in) : 0};
    if (shape / 64 == 3) {
        options.size -= byte(in) % 24;
    }
    mw_vocabulary *made = NULL;
    CALL(status, mw_vocabulary_new(&options, &made, &error));
    CHECK((status == MW_OK) == (made != NULL));
    if (made != NULL) {
        mw_vocabulary_free(vocabularies[slot]);
        vocabularies[slot] = made;
        CHECK(mw_mask_words(made) * 32 >= TOKENS && mw_mask_words(made) <= WORDS + 1);
    }
}

/* One of the languages: mostly one that is well-formed, else the input's own. */
static mw_constraint_options request(input *in) {
    static const char tools[] = "[{\"name\":\"f\",\"parameters\":{\"type\":\"object\",\"properties\":{\"n\":{\"type\":"
                                "\"integer\"}},\"required\":[\"n\"],\"additionalProperties\":false}}]";
    mw_constraint_options options;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.work = 2000000;
    uint32_t kind = byte(in);
    switch (kind % 10) {
        case 0: options.schema = text_of("{\"properties\":{\"ab\":{\"type\":\"boolean\"}},\"required\":[\"ab\"]}"); break;
        case 1: options.schema = text_of("{\"type\":\"array\",\"items\":{\"enum\":[1,12,\"a\"]},\"maxItems\":3}"); break;
        case 2: options.regex = text_of("(ab|a)*c?"); break;
        case 3: options.choice = text_of("[\"ab\",\"abc\",\"true\"]"); break;
        case 4: options.ebnf = text_of("root ::= \"(\" root \")\" | [a-c]+"); break;
        case 5: options.format = text_of("harmony"); options.tools = text_of(tools); break;
        case 6: options.format = text_of("harmony"); options.lead = text(in, 24); break;
        case 7: options.schema = text(in, 60); break;
        case 8: options.regex = text(in, 30); break;
        default: options.ebnf = text(in, 40); break;
    }
    if (kind >= 128) {
        options.whitespace = (int32_t)(byte(in) % 5);
        options.escapes = (int32_t)(byte(in) % 4);
        options.tool_choice = (int32_t)(byte(in) % 5);
        options.work = byte(in) * 1000;
    }
    return options;
}

static void make_constraint(input *in) {
    mw_vocabulary *vocabulary = vocabularies[byte(in) % VOCABULARIES];
    uint32_t slot = byte(in) % CONSTRAINTS;
    mw_constraint_options options = request(in);
    mw_constraint *made = NULL;
    CALL(status, mw_constraint_new(vocabulary, &options, &made, &error));
    CHECK((status == MW_OK) == (made != NULL));
    CHECK(vocabulary != NULL || status == MW_NULL_POINTER);
    if (made != NULL) {
        mw_constraint_free(constraints[slot]);
        constraints[slot] = made;
    }
}

static void make_session(input *in) {
    uint32_t from = byte(in), slot = byte(in) % SESSIONS;
    mw_session *old = sessions[from % SESSIONS], *made = NULL;
    const mw_constraint *constraint = constraints[from % CONSTRAINTS];
    CALL(status, from < 160 ? mw_session_new(constraint, &made, &error) : mw_session_fork(old, &made, &error));
    CHECK((status == MW_OK) == (made != NULL));
    if (made != NULL) {
        CHECK(mw_session_length(made) == (from < 160 ? 0 : mw_session_length(old)));
        mw_session_free(sessions[slot]);
        sessions[slot] = made;
    }
}

/* The row of a session that is not at its end, or NULL. */
static const uint32_t *mask(const mw_session *session, size_t *words) {
    static uint32_t row[WORDS + 1];
    for (*words = TOKENS / 32; *words <= WORDS + 1; ++*words) {
        memset(row, 0xAA, sizeof row);
        mw_error *error = NULL;
        int32_t status = mw_fill_mask(session, row, *words, &error);
        read_error(status, error);
        if (status == MW_OK) {
            return row;
        }
        for (size_t at = 0; session != NULL && at < *words; at++) {
            CHECK(row[at] == 0);
        }
        if (status != MW_INVALID_ARGUMENT) {
            return NULL;
        }
    }
    return NULL;
}

/* A mask, a token of it, and what accept says of that. */
static void step(input *in) {
    mw_session *session = sessions[byte(in) % SESSIONS];
    uint32_t id = token(in), wish = byte(in);
    size_t words = 0, length = mw_session_length(session);
    const uint32_t *row = mask(session, &words);
    if (row == NULL) {
        return;
    }
    size_t count = words * 32, tries = 0;
    for (; wish < 224 && tries < count && !(id < count && row[id / 32] >> id % 32 & 1); tries++) {
        id = id >= count ? 0 : id + 1;
    }
    CHECK(tries < count);
    int may = id < count && (row[id / 32] >> id % 32 & 1);
    int32_t allows = mw_allows(session, id);
    CHECK(allows == MW_LIMIT || (allows == MW_OK) == may);
    size_t accepted = 7;
    CALL(valid, mw_validate(session, &id, 1, &accepted, &error));
    CHECK(valid != MW_OK || accepted == (size_t)may);
    mw_error *refusal = NULL;
    int32_t status = mw_accept(session, &id, 1, &refusal);
    read_error(status, refusal);
    CHECK(status == MW_LIMIT || (status == MW_OK) == may);
    CHECK(mw_session_length(session) == length + (status == MW_OK));
}

static void accept_several(input *in) {
    mw_session *session = sessions[byte(in) % SESSIONS];
    uint32_t list[5], flags = byte(in) % 5;
    size_t count = tokens(in, list), before = mw_session_length(session), accepted = 0;
    CALL(status, mw_accept_with(session, count == 0 ? NULL : list, count, flags, &accepted, &error));
    CHECK(status != MW_OK || accepted <= count);
    CHECK(status == MW_OK || mw_session_length(session) == before);
}

static void go_back(input *in) {
    mw_session *session = sessions[byte(in) % SESSIONS];
    size_t count = byte(in) % 9, before = mw_session_length(session);
    if (byte(in) > 250) {
        CALL(status, mw_session_reset(session, &error));
        CHECK(status != MW_OK || mw_session_length(session) == 0);
        return;
    }
    CALL(status, mw_rollback(session, count, &error));
    CHECK(mw_session_length(session) == (status == MW_OK ? before - count : before));
}

static void look_ahead(input *in) {
    mw_session *session = sessions[byte(in) % SESSIONS];
    char bytes[8];
    uint32_t list[64];
    size_t count = 0, capacity = byte(in) % 65;
    CALL(forced, mw_forced_bytes(session, bytes, capacity % 8, &count, &error));
    CHECK((session == NULL) == (forced == MW_NULL_POINTER));
    mw_error *of_tokens = NULL;
    int32_t listed = mw_forced_tokens(session, NULL, NULL, list, capacity, &count, &of_tokens);
    read_error(listed, of_tokens);
    mw_error *of_way = NULL;
    int32_t status = mw_way_out(session, list, capacity, &count, &of_way);
    read_error(status, of_way);
    if (status == MW_OK && count <= capacity) {
        size_t taken = 0;
        int32_t valid = mw_validate(session, list, count, &taken, NULL);
        CHECK(valid == MW_LIMIT || taken == count);
    }
}

static void deadline(input *in) {
    mw_session *session = sessions[byte(in) % SESSIONS];
    size_t left = byte(in) % 40, needed = 0;
    if (left == 39) {
        mw_session_clear_deadline(session);
        CHECK(mw_session_tokens_left(session) == SIZE_MAX);
        return;
    }
    CALL(status, mw_session_deadline(session, left, &needed, &error));
    CHECK(status != MW_OK || mw_session_tokens_left(session) == left);
    if (status == MW_INVALID_ARGUMENT) {
        CHECK(needed > left);
        int32_t again = mw_session_deadline(session, needed, NULL, NULL);
        CHECK(again == MW_OK || again == MW_LIMIT);
    }
}

static void batch(input *in) {
    mw_mask_job jobs[3];
    uint32_t rows[3][5][WORDS + 1], drafts[3][5];
    size_t count = byte(in) % 4, words = TOKENS / 32 + 1 + (byte(in) > 250);
    for (size_t at = 0; at < count; at++) {
        size_t length = tokens(in, drafts[at]);
        mw_mask_job job = {.session = sessions[byte(in) % SESSIONS], .draft = drafts[at], .draft_length = length,
                           .rows = rows[at][0], .accepted = 0, .status = -1};
        jobs[at] = job;
    }
    CALL(status, mw_fill_masks_with(jobs, count, words, (int32_t)(byte(in) % 4), &error));
    for (size_t at = 0; at < count; at++) {
        CHECK(jobs[at].status == -1 || (jobs[at].status >= MW_OK && jobs[at].status < MW_PANIC));
        CHECK(status != MW_OK || (jobs[at].status == MW_OK && jobs[at].accepted <= jobs[at].draft_length));
    }
}

static void logits(input *in) {
    size_t words = 0;
    const uint32_t *row = mask(sessions[byte(in) % SESSIONS], &words);
    float values[TOKENS] = {0};
    if (row != NULL) {
        CALL(status, mw_apply_mask(row, words, values, TOKENS, (int32_t)(byte(in) % 4), &error));
        CHECK(status == MW_OK || status == MW_INVALID_ARGUMENT);
    }
}

static void events(mw_reader *reader) {
    for (size_t at = 0; at < 4096; at++) {
        mw_event event;
        memset(&event, 0, sizeof event);
        event.size = sizeof event;
        CALL(status, mw_reader_next(reader, &event, &error));
        if (status != MW_OK || event.kind == MW_EVENT_NONE) {
            return;
        }
        CHECK(event.start <= event.end && event.kind <= MW_EVENT_ARGUMENT);
    }
    CHECK(!"the events of an input end");
}

static void read_turn(input *in) {
    uint32_t kind = byte(in), slot = byte(in) % READERS;
    mw_reader *reader = readers[slot], *made = NULL;
    uint32_t list[5];
    if (kind % 8 < 2) {
        mw_constraint_options options = request(in);
        CALL(status, kind % 8 == 0 || reader == NULL
                         ? mw_reader_new(vocabularies[kind / 8 % VOCABULARIES], &options, kind / 16 % 5, &made, &error)
                         : mw_reader_again(reader, &made, &error));
        CHECK((status == MW_OK) == (made != NULL));
        if (made != NULL) {
            mw_reader_free(reader);
            readers[slot] = made;
        }
    } else if (kind % 8 == 2) {
        CALL(status, mw_reader_finish(reader, &error));
        CHECK(reader != NULL || status == MW_NULL_POINTER);
    } else if (kind % 8 < 5) {
        size_t count = tokens(in, list);
        CALL(status, mw_reader_feed_tokens(reader, list, count, &error));
        CHECK(reader != NULL || status == MW_NULL_POINTER);
    } else {
        mw_text piece = text(in, 40);
        CALL(status, mw_reader_feed(reader, piece, &error));
        CHECK(reader != NULL || status == MW_NULL_POINTER);
    }
    events(readers[slot]);
}

static void let_go(input *in) {
    uint32_t which = byte(in), slot = byte(in);
    switch (which % 4) {
        case 0:
            mw_vocabulary_free(vocabularies[slot % VOCABULARIES]);
            vocabularies[slot % VOCABULARIES] = NULL;
            break;
        case 1:
            mw_constraint_free(constraints[slot % CONSTRAINTS]);
            constraints[slot % CONSTRAINTS] = NULL;
            break;
        case 2:
            mw_session_free(sessions[slot % SESSIONS]);
            sessions[slot % SESSIONS] = NULL;
            break;
        default:
            mw_reader_free(readers[slot % READERS]);
            readers[slot % READERS] = NULL;
    }
}

/* Makes what an input needs to be of use: most begin with a session. */
static void begin(void) {
    static const uint8_t first[] = {12, 0}, shapes[6] = {0};
    input vocabulary = {first, first + 2}, rest = {shapes, shapes + 6};
    make_vocabulary(&vocabulary);
    make_constraint(&rest);
    make_session(&rest);
}

void maskwright_fuzz_calls(const uint8_t *data, size_t length) {
    static void (*const calls[])(input *) = {make_vocabulary, make_constraint, make_session, step,  step,  step,
                                             step,            accept_several,  go_back,      look_ahead, deadline, batch,
                                             logits,          read_turn,       read_turn,    let_go};
    input in = {data, data + length};
    begin();
    for (size_t at = 0; at < MOST && in.at < in.end; at++) {
        calls[byte(&in) % (sizeof calls / sizeof *calls)](&in);
    }
    static const uint8_t all[] = {0, 0, 0, 1, 1, 0, 1, 1, 1, 2, 2, 0, 2, 1, 2, 2, 2, 3, 3, 0, 3, 1};
    in.at = all;
    in.end = all + sizeof all;
    while (in.at < in.end) {
        let_go(&in);
    }
}
