/* What the tests share: checks that say where they failed, texts, and a vocabulary of bytes. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "maskwright.h"

#define CHECK(condition)                                                            \
    do {                                                                            \
        if (!(condition)) {                                                         \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);         \
            exit(1);                                                                \
        }                                                                           \
    } while (0)

/* A call that must succeed. */
#define OK(call) check_status((call), MW_OK, __FILE__, __LINE__, #call)
/* A call that must fail with `status`. */
#define FAILS(status, call) check_status((call), (status), __FILE__, __LINE__, #call)

static inline mw_text text_of(const char *string) {
    mw_text text;
    text.data = string;
    text.length = string == NULL ? 0 : strlen(string);
    return text;
}

static inline void check_status(int32_t status, int32_t expected, const char *file, int line,
                                const char *call) {
    if (status != expected) {
        mw_text is = mw_status_name(status), should = mw_status_name(expected);
        fprintf(stderr, "%s:%d: %s: %.*s, where %.*s was expected\n", file, line, call, (int)is.length,
                is.data, (int)should.length, should.data);
        exit(1);
    }
}

static inline int text_is(mw_text text, const char *string) {
    return text.length == strlen(string) && memcmp(text.data, string, text.length) == 0;
}

static inline int text_has(mw_text text, const char *part) {
    size_t length = strlen(part);
    for (size_t at = 0; at + length <= text.length; at++) {
        if (memcmp(text.data + at, part, length) == 0) {
            return 1;
        }
    }
    return 0;
}

/* A vocabulary: ids 0 to 255 are the bytes, some words follow, then control tokens. */
enum {
    ID_HELLO = 256,  /* hello */
    ID_OPEN = 257,   /* {" */
    ID_TRUE = 258,   /* true */
    ID_UNUSED = 259, /* no token */
    ID_START = 260,  /* <|start|> */
    ID_CHANNEL,
    ID_MESSAGE,
    ID_END,
    ID_CALL,
    ID_RETURN,
    ID_CONSTRAIN,
    ID_EOS, /* <|endoftext|>, the end token besides <|return|> and <|call|> */
    TOKEN_COUNT
};

static inline mw_vocabulary *vocabulary_within(size_t logits, size_t constraint_bytes) {
    static const char *const names[] = {"hello",     "{\"",         "true",        "",
                                        "<|start|>", "<|channel|>", "<|message|>", "<|end|>",
                                        "<|call|>",  "<|return|>",  "<|constrain|>", "<|endoftext|>"};
    static const uint32_t ends[] = {ID_EOS, ID_RETURN, ID_CALL};
    char bytes[256];
    mw_token tokens[TOKEN_COUNT];
    for (uint32_t id = 0; id < TOKEN_COUNT; id++) {
        tokens[id].id = id;
        if (id < 256) {
            bytes[id] = (char)id;
            tokens[id].kind = MW_TOKEN_NORMAL;
            tokens[id].bytes.data = &bytes[id];
            tokens[id].bytes.length = 1;
        } else {
            tokens[id].kind = id == ID_UNUSED   ? MW_TOKEN_UNUSED
                              : id >= ID_START ? MW_TOKEN_CONTROL
                                               : MW_TOKEN_NORMAL;
            tokens[id].bytes = text_of(names[id - 256]);
        }
    }
    mw_vocabulary_options options;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.tokens = tokens;
    options.token_count = TOKEN_COUNT;
    options.end_tokens = ends;
    options.end_token_count = 3;
    options.logits = logits;
    options.constraint_bytes = constraint_bytes;
    mw_vocabulary *vocabulary = NULL;
    OK(mw_vocabulary_new(&options, &vocabulary, NULL));
    return vocabulary;
}

static inline mw_vocabulary *byte_vocabulary(size_t logits) {
    return vocabulary_within(logits, 0);
}

static inline mw_constraint_options no_options(void) {
    mw_constraint_options options;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    return options;
}

static inline mw_constraint *schema_constraint(const mw_vocabulary *vocabulary, const char *schema) {
    mw_constraint_options options = no_options();
    options.schema = text_of(schema);
    options.whitespace = MW_WHITESPACE_COMPACT;
    mw_constraint *constraint = NULL;
    OK(mw_constraint_new(vocabulary, &options, &constraint, NULL));
    return constraint;
}

static inline mw_session *session_of(const mw_constraint *constraint) {
    mw_session *session = NULL;
    OK(mw_session_new(constraint, &session, NULL));
    return session;
}

static inline int allowed(const uint32_t *row, uint32_t id) {
    return (int)(row[id >> 5] >> (id & 31) & 1);
}

/* Accepts the bytes of `string`, one by one. */
static inline void accept_bytes(mw_session *session, const char *string) {
    for (; *string != '\0'; string++) {
        uint32_t id = (unsigned char)*string;
        OK(mw_accept(session, &id, 1, NULL));
    }
}

/* A small random generator, the same everywhere. */
static inline uint32_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

#endif
