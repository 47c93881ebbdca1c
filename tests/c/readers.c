/* What readers tell of turns, of text and of tokens, whole and in pieces, strict and lenient. */
#include "check.h"

static const char TOOLS[] = "[{\"name\": \"find\", \"parameters\": {\"type\": \"object\", \"properties\": {\"n\": {\"type\": "
                            "\"integer\"}}}}]";
static const char TURN[] = "\n<think>\nHm.\n</think>\n\nNow.\n<tool_call>\n{\"name\": \"find\", \"arguments\": {\"n\": 1}}\n"
                           "</tool_call><|im_end|>";

static mw_reader *made(const mw_vocabulary *vocabulary, const char *format, const char *lead, uint32_t flags) {
    mw_constraint_options options = no_options();
    options.format = text_of(format);
    options.tools = text_of(TOOLS);
    options.lead = text_of(lead);
    mw_reader *reader = NULL;
    OK(mw_reader_new(vocabulary, &options, flags, &reader, NULL));
    return reader;
}

/* Adds what the events say to `out`, `size` bytes: texts of one kind run together. */
static void tell(mw_reader *reader, char *out, size_t size, int32_t *last) {
    mw_event event;
    for (;;) {
        size_t length = strlen(out);
        memset(&event, 0, sizeof event);
        event.size = sizeof event;
        OK(mw_reader_next(reader, &event, NULL));
        int text = (int)event.text.length, id = (int)event.id.length;
        CHECK(event.start <= event.end);
        switch (event.kind) {
            case MW_EVENT_NONE:
                return;
            case MW_EVENT_CALL:
                snprintf(out + length, size - length, "|call %d %.*s %.*s", (int)event.call, text, event.text.data, id,
                         event.id.data == NULL ? "" : event.id.data);
                break;
            case MW_EVENT_END:
                snprintf(out + length, size - length, "|end %d at %d", event.complete, (int)event.end);
                break;
            case MW_EVENT_ARGUMENT:
                CHECK(text_is(event.id, "n") && text_is(event.text, "1"));
                continue;
            case MW_EVENT_CALL_END:
                snprintf(out + length, size - length, "|done");
                break;
            case MW_EVENT_BROKEN:
                snprintf(out + length, size - length, "|broken at %d", (int)event.start);
                break;
            default:
                CHECK(event.kind == MW_EVENT_REASONING || event.kind == MW_EVENT_CONTENT ||
                      event.kind == MW_EVENT_ARGUMENTS);
                if (event.kind != *last) {
                    static const char *const names[] = {"", "thinks", "says", "", "", "takes"};
                    length += (size_t)snprintf(out + length, size - length, "|%s ", names[event.kind]);
                }
                snprintf(out + length, size - length, "%.*s", text, event.text.data);
        }
        *last = event.kind;
    }
}

/* A turn fed in pieces of `step` bytes says `expected`. */
static void says(mw_reader *reader, const char *turn, size_t step, const char *expected) {
    char out[1024] = "";
    int32_t last = 0;
    for (size_t at = 0, length = strlen(turn); at < length; at += step) {
        mw_text piece;
        piece.data = turn + at;
        piece.length = length - at < step ? length - at : step;
        OK(mw_reader_feed(reader, piece, NULL));
        tell(reader, out, sizeof out, &last);
    }
    OK(mw_reader_finish(reader, NULL));
    tell(reader, out, sizeof out, &last);
    if (strcmp(out, expected) != 0) {
        fprintf(stderr, "%s\nis not\n%s\n", out, expected);
        exit(1);
    }
    FAILS(MW_ENDED, mw_reader_feed(reader, text_of("a"), NULL));
    FAILS(MW_ENDED, mw_reader_finish(reader, NULL));
    mw_reader_free(reader);
}

static void texts(void) {
    static const char expected[] =
        "|thinks Hm.\n|says Now.|call 0 find |takes {\"n\": 1}|done|end 1 at 102";
    static const size_t steps[] = {1, 3, 1000};
    mw_reader *first = made(NULL, "qwen3", NULL, 0);
    for (size_t at = 0; at < 3; at++) {
        mw_reader *reader = NULL;
        OK(mw_reader_again(first, &reader, NULL));
        says(reader, TURN, steps[at], expected);
    }
    says(first, "\nYes", 1, "|says Yes|end 1 at 4");
    says(made(NULL, "qwen3", "\n<think>\n", 0), "Hm.</think>\n\nYes", 2, "|thinks Hm.|says Yes|end 1 at 16");
}

static void broken(void) {
    static const char text[] = "\nWell.</tool_call>{";
    says(made(NULL, "qwen3", NULL, MW_READER_LENIENT), text, 4, "|says Well.</tool_call|broken at 17|says >{|end 0 at 19");
    mw_reader *strict = made(NULL, "qwen3", NULL, 0);
    mw_error *error = NULL;
    FAILS(MW_MALFORMED, mw_reader_feed(strict, text_of(text), &error));
    CHECK(text_is(mw_error_text(error, 0, MW_FIELD_PLACE), "17"));
    mw_error_free(error);
    /* What was certain before that place is told. */
    char before[64] = "";
    int32_t last = 0;
    tell(strict, before, sizeof before, &last);
    CHECK(strcmp(before, "|says Well.</tool_call") == 0);
    FAILS(MW_MALFORMED, mw_reader_finish(strict, NULL));
    mw_reader_free(strict);
    mw_reader *closed = made(NULL, "qwen3", NULL, MW_READER_CLOSED);
    OK(mw_reader_feed(closed, text_of("\nYes"), NULL));
    FAILS(MW_MALFORMED, mw_reader_finish(closed, NULL));
    mw_reader_free(closed);
}

static void tokens(void) {
    static const char call[] = "commentary to=functions.find ", header[] = "json", arguments[] = "{\"n\":1}";
    mw_vocabulary *vocabulary = byte_vocabulary(0);
    mw_reader *reader = made(vocabulary, "harmony", NULL, 0);
    mw_vocabulary_free(vocabulary);
    uint32_t ids[64];
    size_t count = 0;
    ids[count++] = ID_CHANNEL;
    for (const char *at = call; *at != '\0'; at++) ids[count++] = (unsigned char)*at;
    ids[count++] = ID_CONSTRAIN;
    for (const char *at = header; *at != '\0'; at++) ids[count++] = (unsigned char)*at;
    ids[count++] = ID_MESSAGE;
    for (const char *at = arguments; *at != '\0'; at++) ids[count++] = (unsigned char)*at;
    ids[count++] = ID_CALL;
    OK(mw_reader_feed_tokens(reader, ids, count, NULL));
    OK(mw_reader_finish(reader, NULL));
    char out[1024] = "";
    int32_t last = 0;
    tell(reader, out, sizeof out, &last);
    CHECK(strncmp(out, "|call 0 find |takes {\"n\":1}|done|end 1 at ", 42) == 0);
    mw_reader_free(reader);
    /* A reader of text has no tokens. */
    reader = made(NULL, "harmony", NULL, 0);
    FAILS(MW_INVALID_ARGUMENT, mw_reader_feed_tokens(reader, ids, count, NULL));
    mw_reader_free(reader);
}

static void refused(void) {
    mw_constraint_options options = no_options();
    mw_reader *reader = NULL;
    mw_error *error = NULL;
    options.schema = text_of("{}");
    FAILS(MW_INVALID_ARGUMENT, mw_reader_new(NULL, &options, 0, &reader, &error));
    CHECK(text_has(mw_error_text(error, 0, MW_FIELD_MESSAGE), "readers read turns"));
    mw_error_free(error);
    options = no_options();
    options.format = text_of("qwen3");
    FAILS(MW_INVALID_ARGUMENT, mw_reader_new(NULL, &options, 4, &reader, NULL));
    options.lead = text_of("<think>");
    FAILS(MW_INVALID_ARGUMENT, mw_reader_new(NULL, &options, 0, &reader, NULL));
    FAILS(MW_NULL_POINTER, mw_reader_feed(NULL, text_of("a"), NULL));
    mw_event event;
    reader = made(NULL, "qwen3", NULL, 0);
    event.size = 0;
    FAILS(MW_INVALID_ARGUMENT, mw_reader_next(reader, &event, NULL));
    /* An older host knows less of an event. */
    event.kind = 7;
    event.end = 7;
    event.size = offsetof(mw_event, complete);
    OK(mw_reader_next(reader, &event, NULL));
    CHECK(event.kind == MW_EVENT_NONE && event.end == 7 && event.size == offsetof(mw_event, complete));
    mw_reader_free(reader);
    mw_reader_free(NULL);
}

static void settled(void) {
    mw_constraint_options options = no_options();
    options.format = text_of("qwen3");
    OK(mw_reader_settle(&options, NULL));
    options = no_options();
    options.grammar = text_of("assistant-turn = ( thought / <content> ) \"<|end|>\"\nthought = <reasoning>\n");
    mw_error *error = NULL;
    FAILS(MW_UNSUPPORTED, mw_reader_settle(&options, &error));
    const mw_text why = mw_error_text(error, 0, MW_FIELD_MESSAGE);
    char message[512] = "";
    CHECK(why.length < sizeof message);
    memcpy(message, why.data, why.length);
    CHECK(strstr(message, "thought") != NULL);
    mw_error_free(error);
    options = no_options();
    options.regex = text_of("a");
    FAILS(MW_INVALID_ARGUMENT, mw_reader_settle(&options, NULL));
}

int main(void) {
    settled();
    texts();
    broken();
    tokens();
    refused();
    return 0;
}
