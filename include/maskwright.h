/*
 * maskwright: token masks for constrained decoding. The C interface.
 *
 * INTRODUCTION
 *
 *   A vocabulary says what each token id of a model stands for. A constraint is a language over a
 *   vocabulary: a chat format with the tools of a request, the values of a JSON Schema, or what a
 *   grammar, a regular expression, a list of texts or a structural tag says. A
 *   session is one sequence under a constraint. At every step of decoding the host fills a mask
 *   with the tokens that may come next, samples one of them, and has the session accept it:
 *
 *       mw_vocabulary_new        once per model
 *       mw_constraint_new        once per request
 *       mw_session_new           once per sequence
 *       mw_fill_mask, mw_apply_mask, mw_accept        once per token
 *
 *   What was written is taken apart by a reader: reasoning, text and calls as events; see Readers below.
 *
 *   A token is in the mask exactly when accepting it succeeds, and a token in the mask always leads
 *   to some complete text, so a mask is never empty before the end. What cannot be compiled exactly
 *   is refused, never approximated; mw_check tells what, so that hosts keep no list of their own.
 *
 *   Several ids may stand for the same bytes, as in vocabularies whose added tokens repeat others: each of
 *   them is in the mask where those bytes may come.
 *
 * MASKS
 *
 *   A row is mw_mask_words() words of 32 bits. Token `id` is bit `id & 31` of word `id >> 5`, least
 *   significant bit first; 1 means allowed. Bits beyond the last id are 0.
 *
 *   Whatever fails zeroes the rows that it was given. A host must then stop the sequence: it must
 *   never go on unconstrained.
 *
 * STATUS CODES AND ERRORS
 *
 *   Functions that can fail return a status, MW_OK or another MW_STATUS constant. Their values never
 *   change; later versions may add some. Functions that take `mw_error **error` also describe
 *   what went wrong: if `error` is not NULL and the call fails, `*error` is set to a new handle
 *   that the caller frees with mw_error_free. It is not touched on success, and what it held
 *   before is not freed.
 *
 *   Besides what is listed at each function, every one of these may return
 *     MW_NULL_POINTER      a pointer that must not be NULL is, or one is NULL with a length above 0
 *     MW_INVALID_ARGUMENT  a pointer is misaligned, or a length is beyond the address space
 *     MW_PANIC             a defect of the library; see below
 *
 *   Outputs are written on success only, and otherwise left alone. Excepted are mask rows, which
 *   every error zeroes, and mw_mask_job, which has a status of its own. A call that fails leaves its
 *   session as it was.
 *
 *   No panic crosses this interface: it is caught, and becomes MW_PANIC. The handles of that call
 *   may then only be freed. Running out of memory ends the process, as everywhere in Rust.
 *
 * OWNERSHIP
 *
 *   Handles are opaque. A function that makes one writes it to `*out`, and its owner gives it to the
 *   matching `_free` once. Every `_free` takes NULL and does nothing. Using a handle after it
 *   was freed is undefined, freeing it twice too.
 *
 *   What a handle was made from may be freed before it, in any order: a session keeps its
 *   constraint alive, and a constraint its vocabulary. Texts and arrays that the host passes are read
 *   during the call only, and copied if need be. Texts that the library returns belong to the
 *   handle they come from and live as long as it does.
 *
 * THREADS
 *
 *   Vocabularies, constraints and errors never change: any number of threads may use one at once.
 *   A session may be used by any thread. Functions that take `const mw_session *` may run at once on
 *   one session; those that take `mw_session *` need it for themselves. So it is with readers. Freeing needs a handle for
 *   oneself as well.
 *
 *   mw_fill_masks and mw_fill_masks_with use a pool of threads from 256 rows in a call on: the first such
 *   batch starts it, and it lives as long as the process; RAYON_NUM_THREADS sets its size. Nothing else starts threads. A child of
 *   fork() that does not exec has no such threads: if its parent has filled such a batch, mw_fill_masks fails there with
 *   MW_UNSUPPORTED, for any number of rows. All other calls go on working, unless another thread was within one during the fork.
 *
 * TEXTS
 *
 *   Texts are a pointer and a length, without a terminating NUL, in UTF-8 unless said otherwise
 *   (MW_INVALID_UTF8 if not). {NULL, 0} is an absent text, which is not the same as an empty one.
 *   Users of ctypes and cffi: do not read `data` as a string that ends in NUL (a c_char_p reads on behind it).
 *   Take `length` bytes, or have mw_error_copy write a copy that ends in NUL.
 *
 * OPTIONS
 *
 *   A struct of options begins with its size: set all of it to zero, then `size` to its sizeof, then
 *   what differs from the defaults, which are all zero. So a host compiled with an older or a newer
 *   header keeps working: fields that it does not know are zero, and fields that the library
 *   does not know must be (MW_INVALID_ARGUMENT if not). Values that the library does not know are
 *   MW_INVALID_ARGUMENT.
 *
 * VERSIONS
 *
 *   Until 1.0, a new minor version may change this interface; the shared library's name changes then.
 */

#ifndef MASKWRIGHT_H
#define MASKWRIGHT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How functions are declared; a host may define it before, say as __declspec(dllimport). */
#ifndef MW_API
#define MW_API
#endif

/* A text, or bytes: see TEXTS above. */
typedef struct mw_text {
    const char *data;
    size_t length;
} mw_text;

/* -------------------------------------------------------------------------------------------------
 * Version
 * ---------------------------------------------------------------------------------------------- */

/* The version of this header. */
#define MW_VERSION_MAJOR 0
#define MW_VERSION_MINOR 1
#define MW_VERSION_PATCH 0
/* The same as one number, as mw_version() has it. */
#define MW_VERSION (MW_VERSION_MAJOR * 10000 + MW_VERSION_MINOR * 100 + MW_VERSION_PATCH)

/* The version of the library: major * 10000 + minor * 100 + patch. */
MW_API uint32_t mw_version(void);

/* The same as a text, such as "0.1.0". It lives as long as the library is loaded. */
MW_API mw_text mw_version_text(void);

/* -------------------------------------------------------------------------------------------------
 * Status codes, errors
 * ---------------------------------------------------------------------------------------------- */

enum mw_status {
    MW_OK = 0,
    MW_NULL_POINTER = 1,     /* a pointer that must not be NULL */
    MW_INVALID_ARGUMENT = 2, /* an argument that cannot be meant; the message says which */
    MW_INVALID_UTF8 = 3,     /* a text that is not UTF-8 */
    MW_MALFORMED = 4,        /* a grammar, schema, tools file or vocabulary that is not well-formed */
    MW_UNSUPPORTED = 5,      /* well-formed, and not supported; the error says what */
    MW_UNSATISFIABLE = 6,    /* well-formed, and no text belongs to it */
    MW_LIMIT = 7,            /* more than compiling or running may cost */
    MW_NOT_ALLOWED = 8,      /* the token may not come here */
    MW_ENDED = 9,            /* an end token was accepted: nothing may follow */
    MW_PANIC = 10            /* a defect of the library, caught */
};

/* The name of a status, such as "MW_NOT_ALLOWED"; an absent text for a number that is none. It lives
 * as long as the library is loaded. */
MW_API mw_text mw_status_name(int32_t status);

/* What went wrong: at least one fault. Only mw_check and errors of a grammar have more than one. */
typedef struct mw_error mw_error;

/* What is known of a fault. Only the message is there always. */
enum mw_field {
    MW_FIELD_MESSAGE = 0, /* the whole of it, in a sentence */
    MW_FIELD_SOURCE = 1,  /* the option whose text is at fault: "grammar", "schema", "tools", "lark" */
    MW_FIELD_PLACE = 2,   /* where in it: line and column, from 1, as "3:14" */
    MW_FIELD_POINTER = 3, /* where in it: a JSON pointer (RFC 6901) as a URI fragment, "#/items" */
    MW_FIELD_KEYWORD = 4, /* the keyword of JSON Schema at fault, or the construct of a regular expression: "back-reference" */
    MW_FIELD_REASON = 5,  /* why that is refused */
    MW_FIELD_HINT = 6,    /* what may help */
    MW_FIELD_EXCERPT = 7  /* two lines for people: a line of the text at fault, and carets below the place */
};

/* The number of faults; 0 if `error` is NULL. */
MW_API size_t mw_error_count(const mw_error *error);

/* What is known of the fault `index`, from 0. An absent text if nothing is, if there is no such fault
 * or field, or if `error` is NULL. The text belongs to `error`. */
MW_API mw_text mw_error_text(const mw_error *error, size_t index, int32_t field);

/* The same as a NUL-terminated copy, for languages that know no other texts (ctypes, cffi): writes as much of it as
 * `capacity` bytes hold, and a NUL behind it if `capacity` is not 0. Returns the length of the whole text without the NUL;
 * 0 for an absent text. A text that holds a NUL itself seems to end there. */
MW_API size_t mw_error_copy(const mw_error *error, size_t index, int32_t field, char *to, size_t capacity);

MW_API void mw_error_free(mw_error *error);

/* -------------------------------------------------------------------------------------------------
 * Vocabularies
 * ---------------------------------------------------------------------------------------------- */

/* What each token id stands for, with all that is computed for it. Make one per model, and share it
 * among all constraints: they start warm from what others have computed. */
typedef struct mw_vocabulary mw_vocabulary;

enum mw_token_kind {
    /* Text: `bytes` are what it spells, at most 65536. Without bytes it is unused. */
    MW_TOKEN_NORMAL = 0,
    /* A control token such as <|start|>: `bytes` are its name, which no other has. */
    MW_TOKEN_CONTROL = 1,
    /* No token at all: never allowed. `bytes` are not looked at. Ids that are left out are unused too. */
    MW_TOKEN_UNUSED = 2
};

typedef struct mw_token {
    uint32_t id;
    int32_t kind; /* enum mw_token_kind */
    mw_text bytes;
} mw_token;

typedef struct mw_vocabulary_options {
    size_t size;
    const mw_token *tokens; /* in any order, each id once */
    size_t token_count;
    const uint32_t *end_tokens; /* the control tokens that end a generation, at least one somewhere */
    size_t end_token_count;
    size_t logits; /* the model's logits, where it has more than tokens: the bits of a row; or 0 */
    /* About how many bytes of masks are kept for all constraints together; 0: 256 MiB. Over it, what was not asked for
     * lately is dropped, a little at a time, and made again if it is asked for. */
    size_t cache_bytes;
    /* About how many bytes all constraints together have for their states and the masks of those; 0: 512 MiB. Over it,
     * those that were not used lately begin anew: answers stay the same. */
    size_t constraint_bytes;
} mw_vocabulary_options;

/* Makes a vocabulary of `options->tokens`.
 *
 * MW_INVALID_ARGUMENT  an unknown kind; `size` or fields that are not known
 * MW_INVALID_UTF8      the name of a control token
 * MW_MALFORMED         an id or a name twice, no normal token, an end token that is no control
 *                      token, too few logits
 * MW_LIMIT             an id above four million, a token or a vocabulary that is too long */
MW_API int32_t mw_vocabulary_new(const mw_vocabulary_options *options, mw_vocabulary **out, mw_error **error);

/* Makes a vocabulary of a Hugging Face tokenizer: byte-level BPE, or SentencePiece.
 *
 * `tokenizer` is the text of tokenizer.json. `config` is that of the tokenizer_config.json beside it,
 * or absent; it names the end tokens. Of `options`, which may be NULL, `end_tokens` are added
 * to those, `logits`, `cache_bytes` and `constraint_bytes` count, and there must be no `tokens`.
 *
 * MW_INVALID_ARGUMENT  `options` has tokens, or as mw_vocabulary_new
 * MW_MALFORMED         one of the files, or as mw_vocabulary_new
 * MW_UNSUPPORTED       another kind of tokenizer
 * MW_LIMIT             as mw_vocabulary_new */
MW_API int32_t mw_vocabulary_from_tokenizer_json(mw_text tokenizer, mw_text config,
                                                 const mw_vocabulary_options *options,
                                                 mw_vocabulary **out, mw_error **error);

/* Makes a vocabulary of a rank file of tiktoken, a line a token. Such a file has no control tokens:
 * they are the `tokens` of `options`.
 *
 * Errors are those of mw_vocabulary_new; MW_MALFORMED also for a line of the file. */
MW_API int32_t mw_vocabulary_from_tiktoken(mw_text ranks, const mw_vocabulary_options *options,
                                           mw_vocabulary **out, mw_error **error);

MW_API void mw_vocabulary_free(mw_vocabulary *vocabulary);

/* About how many bytes all constraints over it have now for their states and the masks of those; 0 if `vocabulary` is
 * NULL. What sessions hold that have not moved on yet comes on top. */
MW_API size_t mw_constraint_bytes(const mw_vocabulary *vocabulary);

/* The words of a row: the logits, or one more than the highest id, divided by 32 and rounded up; 0 if
 * `vocabulary` is NULL. */
MW_API size_t mw_mask_words(const mw_vocabulary *vocabulary);

/* -------------------------------------------------------------------------------------------------
 * Constraints
 * ---------------------------------------------------------------------------------------------- */

/* A language over a vocabulary. */
typedef struct mw_constraint mw_constraint;

enum mw_tool_choice {
    MW_TOOLS_AUTO = 0,     /* calls or an answer, as the model likes */
    MW_TOOLS_REQUIRED = 1, /* at least one call */
    MW_TOOLS_NAMED = 2,    /* at least one call, and only of the tool `tool_name` */
    MW_TOOLS_NONE = 3      /* no calls */
};

enum mw_parallel_calls {
    MW_PARALLEL_FORBIDDEN = 0, /* a call ends the turn */
    MW_PARALLEL_ALLOWED = 1    /* another may follow it */
};

enum mw_analysis {
    MW_ANALYSIS_ALLOWED = 0, /* a turn may hold thoughts */
    MW_ANALYSIS_FORBIDDEN = 1
};

/* White space in JSON. */
enum mw_whitespace {
    MW_WHITESPACE_DEFAULT = 0, /* in bodies of formats MW_WHITESPACE_PRETTY, elsewhere MW_WHITESPACE_JSON */
    MW_WHITESPACE_COMPACT = 1, /* none */
    MW_WHITESPACE_JSON = 2,    /* any, wherever JSON allows it */
    /* At most one space, or a line break and behind it at most 64 spaces or 16 tabs. */
    MW_WHITESPACE_PRETTY = 3
};

/* How numbers are spelt in JSON. */
enum mw_numbers {
    MW_NUMBERS_DEFAULT = 0, /* in bodies of formats MW_NUMBERS_PLAIN, elsewhere MW_NUMBERS_ANY */
    MW_NUMBERS_ANY = 1,     /* as JSON allows it */
    MW_NUMBERS_PLAIN = 2    /* as programs print them: integers in digits only, others with at most 17 */
};

/* Whose syntax regular expressions and patterns in schemas are in. */
enum mw_dialect {
    MW_DIALECT_DEFAULT = 0, /* of `regex` MW_DIALECT_PYTHON, of patterns in schemas MW_DIALECT_ECMA */
    MW_DIALECT_ECMA = 1,    /* ECMA-262, and what means one thing only in other dialects */
    MW_DIALECT_PYTHON = 2,  /* Python's `re` */
    MW_DIALECT_PCRE = 3,    /* PCRE2, with UTF */
    MW_DIALECT_RUST = 4     /* Rust's `regex` */
};

/* The draft of schemas that do not name one by `$schema`. */
enum mw_draft {
    MW_DRAFT_2020_12 = 0, /* OpenAPI 3.1 has it as well */
    MW_DRAFT_2019_09 = 1,
    MW_DRAFT_7 = 2,
    MW_DRAFT_6 = 3,
    MW_DRAFT_4 = 4, /* and 5 */
    MW_DRAFT_3 = 5,
    MW_DRAFT_OPENAPI_3_0 = 6
};

/* What schemas may refer to by `$ref`, apart from themselves. Nothing is ever fetched. */
typedef struct mw_document {
    mw_text uri; /* without fragment */
    mw_text text;
} mw_document;

enum mw_profile {
    MW_PROFILE_DEPLOYED = 0, /* the format as it is deployed */
    MW_PROFILE_HIP_1 = 1     /* `<|constrain|>json` before the arguments of every call */
};

/* Tools that formats have built in, as bits. */
enum mw_built_in_tools {
    MW_BUILT_IN_PYTHON = 1,
    MW_BUILT_IN_BROWSER = 2
};

/* Whether functions are called on analysis, and not on commentary only. */
enum mw_functions_on_analysis {
    MW_FUNCTIONS_ON_ANALYSIS_FORBIDDEN = 0,
    MW_FUNCTIONS_ON_ANALYSIS_ALLOWED = 1
};

/* Whether arguments may say `deadline_ms` beside what their schema says. */
enum mw_deadlines {
    MW_DEADLINES_FORBIDDEN = 0,
    MW_DEADLINES_ALLOWED = 1
};

/* Whether a turn holds a thought block of one kind (OpenChatML 0.1). */
enum mw_thought {
    MW_THOUGHT_FORBIDDEN = 0,
    MW_THOUGHT_OFFERED = 1,
    MW_THOUGHT_DEMANDED = 2
};

/* A call of the conversation that no tool has answered yet. Its id counts as used. */
typedef struct mw_open_call {
    mw_text id;   /* absent in formats without ids */
    mw_text name; /* the tool's, as the conversation has it */
} mw_open_call;

/* Which escapes the strings of JSON have. */
enum mw_escapes {
    MW_ESCAPES_FREE = 0,    /* all where at most a length is asked for, elsewhere those that are needed */
    MW_ESCAPES_MINIMAL = 1, /* those that are needed, in their shortest spelling */
    MW_ESCAPES_ALL = 2      /* all */
};

/* In which order the properties of JSON objects come. */
enum mw_property_order {
    MW_ORDER_DECLARED = 0, /* as the schema declares them, others anywhere between */
    MW_ORDER_ANY = 1
};

/* What `format` does in a schema. These are known: "date", "date-time", "duration", "email", "hostname", "idn-email",
 * "idn-hostname", "ipv4", "ipv6", "iri", "iri-reference", "json-pointer", "regex", "relative-json-pointer", "time", "uri",
 * "uri-reference", "uri-template" and "uuid". Any other name asserts nothing. */
enum mw_schema_formats {
    MW_FORMATS_ASSERT = 0, /* formats that are known are asserted */
    MW_FORMATS_IGNORE = 1  /* all formats are annotations */
};

/* What `contentEncoding`, `contentMediaType` and `contentSchema` do in a schema. */
enum mw_content {
    MW_CONTENT_ANNOTATE = 0, /* they are annotations, but for encodings in drafts 6 and 7 */
    MW_CONTENT_ASSERT = 1    /* encodings of RFC 4648, and JSON in strings, are asserted */
};

/* Which language. Exactly one of `format`, `grammar`, `schema`, `regex`, `choice`, `ebnf`, `lark` and `structural_tag`
 * is given. The formats that come along are "chatml", "command-r", "deepseek-r1", "deepseek-v3", "deepseek-v3.1",
 * "deepseek-v3.2", "exaone", "functionary", "gemma-3", "gemma-4", "glm-4.5", "granite-3.3", "harmony", "internlm2",
 * "kimi-k2", "kimi-k3", "llama3", "llama4", "minimax-m2", "mistral", "openchatml-0.1", "openchatml-2.2", "phi-4", "qwen3" and
 * "qwen3-coder"; all have the rule "assistant-turn". */
typedef struct mw_constraint_options {
    size_t size;
    mw_text format;  /* a chat format that comes along, by its name */
    mw_text grammar; /* a chat format of one's own: an ABNF text */
    mw_text schema;  /* a JSON Schema: the language is its values */
    /* The end tokens of this constraint. None: the vocabulary's, less those that the language
     * itself writes. */
    const uint32_t *stop_tokens;
    size_t stop_token_count;
    int32_t whitespace; /* enum mw_whitespace */

    /* These are for `format` and `grammar` only. */
    int32_t tool_choice;       /* enum mw_tool_choice */
    int32_t parallel_calls;    /* enum mw_parallel_calls */
    int32_t analysis;          /* enum mw_analysis */
    mw_text start;             /* the rule to start from; absent: "assistant-turn", of `ebnf` "root", of `lark` "start" */
    mw_text tools;             /* JSON: OpenAI's array of functions, or MCP's list of tools */
    mw_text tool_name;         /* for MW_TOOLS_NAMED */
    mw_text response_schema;   /* a JSON Schema that the final message must satisfy */
    const mw_text *used_call_ids; /* the call ids that the conversation has so far */
    size_t used_call_id_count;

    /* Further languages. */
    mw_text regex;          /* the texts that a regular expression matches as a whole */
    mw_text choice;         /* JSON, an array of strings: exactly these texts */
    mw_text ebnf;           /* a grammar in EBNF: GBNF, XGrammar's or W3C's; `start` may be given */
    mw_text structural_tag; /* a structural tag, in JSON */

    /* How JSON is spelt: in a `schema`, in the bodies of formats, in a `structural_tag` and in the schemas of `lark`. */
    int32_t escapes;        /* enum mw_escapes */
    int32_t property_order; /* enum mw_property_order */

    int32_t schema_formats; /* enum mw_schema_formats; for `schema`, `lark` and `structural_tag` only */
    int32_t numbers;        /* enum mw_numbers */

    mw_text lark; /* a grammar in Lark; `start` may be given. mw_is_lark tells it from one in EBNF */

    int32_t dialect;              /* enum mw_dialect */
    int32_t draft;                /* enum mw_draft */
    const mw_document *documents; /* what schemas may refer to */
    size_t document_count;
    /* White space in another way than by `whitespace`, which is 0 then: what a pattern matches, or any of at most so many
     * characters between two tokens of JSON. */
    mw_text whitespace_pattern;
    uint32_t most_whitespace;

    /* More that is for `format` and `grammar` only. */
    uint32_t built_in_tools;       /* bits of enum mw_built_in_tools */
    int32_t profile;               /* enum mw_profile */
    int32_t functions_on_analysis; /* enum mw_functions_on_analysis */
    int32_t deadlines;             /* enum mw_deadlines */
    int32_t reflect;               /* enum mw_thought, as the next two */
    int32_t introspect;
    int32_t reason;
    const mw_text *flags; /* the flags of the format that are set: its ABNF asks for them by <if NAME> */
    size_t flag_count;
    mw_text bos; /* how the base model spells the beginning of a sequence (OpenChatML 0.1); absent: "<s>" */
    mw_text eos; /* and the end; absent: "</s>" */
    const mw_open_call *open_calls;
    size_t open_call_count;
    /* The prompt, as a text in which the spellings of control tokens are control tokens, or as tokens: it says where
     * the turn begins and what of it is there already, which call ids are used, which calls are open, and whatever a
     * document header has negotiated. Sessions begin behind it. It adds to `used_call_ids` and `open_calls`. */
    mw_text prompt;
    const uint32_t *prompt_tokens;
    size_t prompt_token_count;

    /* For every language, but not beside a prompt: a beginning of the text that is there already, as text without
     * control tokens or as tokens. Sessions begin behind it; it is no part of their tokens. */
    mw_text lead;
    const uint32_t *lead_tokens;
    size_t lead_token_count;

    /* Budgets of the constraint while it runs. About how many bytes its sessions share for states; when seven eighths
     * are taken, states that are made anew take their place; 0: 128 MiB. And about how many of masks they share; 0: 256 MiB. */
    size_t state_bytes;
    size_t mask_bytes;

    int32_t content; /* enum mw_content: in a `schema` and wherever else schemas stand */

    /* Steps that compiling may take, and each mask and each way out as many; a step is ten nanoseconds, more or less.
     * 0: 80,000,000, which refuses nothing that is known to be meant. What takes more is refused with MW_LIMIT. */
    size_t work;

    /* For `format` and `grammar` only, and in the place of `tool_choice` and `tool_name`: the tool choice as the request has
     * it, a word (auto, required, any, none), a tool's name, or the JSON of OpenAI's two APIs, Anthropic, Gemini, Bedrock or
     * Vercel. Where it says which of the tools may be called, the others are left out; where it forbids parallel calls, a
     * call ends the turn. */
    mw_text tool_choice_text;
} mw_constraint_options;

/* 1 if a grammar is in Lark, and 0 if it is in EBNF: none of its lines has `::=` outside of a comment (vLLM's rule). */
MW_API int32_t mw_is_lark(mw_text grammar);

/* Whether a constraint can be made, and if not, all that is known against it, so that a host may drop
 * what is not supported or tell its caller: of the schema, or of every tool's schema and the response
 * schema, all keywords that are at fault. What takes a whole schema to see, such as that no value
 * satisfies it, is looked for in those that have no such fault. With a vocabulary the answer is
 * mw_constraint_new's; without one (NULL) what the vocabulary cannot spell is not looked at, and of a
 * `grammar` only quoted strings of the shape <|name|> are control tokens.
 *
 * The status is that of the first fault, of those of mw_constraint_new. */
MW_API int32_t mw_check(const mw_vocabulary *vocabulary, const mw_constraint_options *options,
                        mw_error **error);

/* Makes a constraint.
 *
 * MW_INVALID_ARGUMENT  none or several of the languages; an unknown format, start
 *                      rule, tool or value; a call demanded without tools; a call id that is none;
 *                      no end token, or one that the vocabulary lacks; `size` or fields that are
 *                      not known; what is for formats only, with another language; a prompt that does not
 *                      end where the assistant is to speak; a lead with which no text begins
 * MW_INVALID_UTF8      one of the texts
 * MW_MALFORMED         the grammar, a schema, the tools, or whatever else says the language
 * MW_UNSUPPORTED       a keyword of a schema; a back-reference or the like in a regular expression; a part of a structural
 *                      tag; a byte or a token that the vocabulary lacks
 * MW_UNSATISFIABLE     a schema without values, or a request that leaves nothing to write
 * MW_LIMIT             more than compiling may cost */
MW_API int32_t mw_constraint_new(const mw_vocabulary *vocabulary, const mw_constraint_options *options,
                                 mw_constraint **out, mw_error **error);

MW_API void mw_constraint_free(mw_constraint *constraint);

/* The tokens that end a text which may end. Writes the first `capacity` of them to `tokens`, and how
 * many there are to `*count`. */
MW_API int32_t mw_stop_tokens(const mw_constraint *constraint, uint32_t *tokens, size_t capacity,
                              size_t *count, mw_error **error);

/* The bytes that the language has and no token of the vocabulary spells by itself, or only one that ends texts: texts
 * with them are left out of what is allowed. Writes the first `capacity` of them to `bytes`, and how many there are,
 * at most 256, to `*count`. */
MW_API int32_t mw_unspelt_bytes(const mw_constraint *constraint, char *bytes, size_t capacity, size_t *count,
                                mw_error **error);

/* -------------------------------------------------------------------------------------------------
 * Sessions
 * ---------------------------------------------------------------------------------------------- */

/* One sequence under a constraint: what was accepted so far. */
typedef struct mw_session mw_session;

/* Makes a session at the beginning of a text, or behind the prompt or the lead that the constraint was made with. */
MW_API int32_t mw_session_new(const mw_constraint *constraint, mw_session **out, mw_error **error);

/* Makes a copy that goes its own way. It costs constant time, and shares the history. */
MW_API int32_t mw_session_fork(const mw_session *session, mw_session **out, mw_error **error);

MW_API void mw_session_free(mw_session *session);

/* Goes back to the beginning. */
MW_API int32_t mw_session_reset(mw_session *session, mw_error **error);

/* Bits of a session's state. */
enum mw_session_state {
    MW_STATE_MAY_END = 1,  /* the text is complete as it is: the end tokens are in the mask */
    MW_STATE_FINISHED = 2, /* nothing but end tokens may follow: stop here */
    MW_STATE_ENDED = 4     /* an end token was accepted */
};

/* The bits that hold, or 0 if `session` is NULL. */
MW_API uint32_t mw_session_state(const mw_session *session);

/* The number of tokens accepted so far, or 0 if `session` is NULL. */
MW_API size_t mw_session_length(const mw_session *session);

/* Appends `count` tokens: all, or none if one of them is refused.
 *
 * MW_NOT_ALLOWED  a token that the mask in its place does not have
 * MW_ENDED        a token after an end token
 * MW_LIMIT        more than running may cost */
MW_API int32_t mw_accept(mw_session *session, const uint32_t *tokens, size_t count, mw_error **error);

/* Bits that change what mw_accept does. */
enum mw_accept_flags {
    MW_ACCEPT_PART = 1,     /* tokens are taken up to the first that is refused, which is no error */
    MW_ACCEPT_AFTER_END = 2 /* tokens after an end token count as taken and are ignored: never rolled back */
};

/* Appends tokens as mw_accept does, but for what `flags` (bits of enum mw_accept_flags) say, and writes to `*accepted`
 * how many were taken. */
MW_API int32_t mw_accept_with(mw_session *session, const uint32_t *tokens, size_t count, uint32_t flags,
                              size_t *accepted, mw_error **error);

/* Writes to `*accepted` how many of `tokens`, from the first, mw_accept would take one by one. The
 * session stays as it is.
 * MW_LIMIT  more than running may cost: `*accepted` is left as it is */
MW_API int32_t mw_validate(const mw_session *session, const uint32_t *tokens, size_t count,
                           size_t *accepted, mw_error **error);

/* MW_OK if `token` may come next, MW_NOT_ALLOWED if not, and MW_LIMIT if to say so is more than running may cost. */
MW_API int32_t mw_allows(const mw_session *session, uint32_t token);

/* Takes back the newest `count` tokens, end tokens included.
 *
 * MW_INVALID_ARGUMENT  fewer were accepted
 * MW_LIMIT             more than running may cost: only where room was made since, and tokens before
 *                      the place gone back to have to be accepted anew */
MW_API int32_t mw_rollback(mw_session *session, size_t count, mw_error **error);

/* The bytes that must come next, whatever the model would like: up to a branch, a control token, or a
 * place where the text may end. Writes the first `capacity` of them to `bytes`, and how many
 * there are to `*length`. They may end within a character. They are at most 65,536: what is forced behind them is
 * forced again when they are accepted.
 *
 * MW_LIMIT  more than running may cost */
MW_API int32_t mw_forced_bytes(const mw_session *session, char *bytes, size_t capacity, size_t *length,
                               mw_error **error);

/* A host's tokeniser: writes the ids that the model would have seen for these bytes to `tokens`, as
 * far as `capacity` reaches, and returns how many they are. With more than `capacity` it is called
 * once more, with room for them. It must not throw, and not use the session that asks. */
typedef size_t (*mw_tokenise)(void *context, const char *bytes, size_t length, uint32_t *tokens,
                              size_t capacity);

/* The tokens that must come next. They are not accepted: the host does that when it has appended
 * them, and may feed them to the model in one pass.
 *
 * With a tokeniser they are what the model itself would have written: the forced bytes, tokenised,
 * as far as nothing that may follow changes the tokens. It is asked for the forced bytes and for
 * beginnings of them, all of whole characters. Without one (NULL) the tokens are those that are
 * alone in their masks. Writes the first `capacity` to `tokens`, and how many there are to `*count`.
 *
 * MW_LIMIT  more than running may cost */
MW_API int32_t mw_forced_tokens(const mw_session *session, mw_tokenise tokenise, void *context,
                                uint32_t *tokens, size_t capacity, size_t *count, mw_error **error);

/* Gives the text `tokens` tokens to end in from here on, its end token included. From now on masks leave out the
 * tokens after which that could not be kept, and they are refused as MW_NOT_ALLOWED; until the text has ended, each
 * mask has a token. What ends a text is an end token, of the constraint or of the vocabulary. With one token left the
 * session is MW_STATE_FINISHED; with none, its mask is MW_ENDED. Forks have the same deadline, a rollback gives the tokens
 * back, mw_session_reset takes the deadline away, and a later call sets another one in its place.
 *
 * MW_INVALID_ARGUMENT  the text cannot end in so few tokens; a number that suffices is written to `*needed`,
 *                      unless `needed` is NULL. The session is as it was
 * MW_LIMIT             more than running may cost */
MW_API int32_t mw_session_deadline(mw_session *session, size_t tokens, size_t *needed, mw_error **error);

/* Takes the deadline away, if there is one. */
MW_API int32_t mw_session_clear_deadline(mw_session *session);

/* How many tokens are left until the deadline; SIZE_MAX if there is none, or if `session` is NULL. */
MW_API size_t mw_session_tokens_left(const mw_session *session);

/* Tokens that lead to where the text may end, for a host whose budget is spent: few, in as few tokens as
 * spell them, the end token not among them. Where the text may end already there are none. Writes the first
 * `capacity` to `tokens`, and how many there are to `*count`.
 *
 * MW_LIMIT  more than running may cost */
MW_API int32_t mw_way_out(const mw_session *session, uint32_t *tokens, size_t capacity, size_t *count,
                          mw_error **error);

/* -------------------------------------------------------------------------------------------------
 * Masks
 * ---------------------------------------------------------------------------------------------- */

/* Writes the tokens that may come next to `row`, which has `words` words.
 *
 * MW_INVALID_ARGUMENT  `words` is not mw_mask_words()
 * MW_ENDED             an end token was accepted
 * MW_LIMIT             more than running may cost */
MW_API int32_t mw_fill_mask(const mw_session *session, uint32_t *row, size_t words, mw_error **error);

/* The rows that mw_fill_masks fills for one session. */
typedef struct mw_mask_job {
    const mw_session *session; /* may be that of other jobs too */
    const uint32_t *draft;     /* tokens that may be appended, from a draft model; or NULL */
    size_t draft_length;
    /* draft_length + 1 rows, one after the other: before the draft's first token, and after each.
     * After a token that is refused, and after an end token, rows are zero; mw_fill_masks_with may say else. */
    uint32_t *rows;
    size_t accepted; /* written if status is MW_OK: how many tokens of the draft may be accepted */
    int32_t status;  /* written: MW_OK, or as mw_fill_mask */
} mw_mask_job;

/* Fills the rows of `count` jobs, whose rows have `words` words each and do not overlap; for large
 * batches on several threads. No session changes. A job that fails has its rows zeroed and its status
 * set, and the others are done all the same.
 *
 * The status is MW_OK if all jobs have it, and otherwise that of the first that has not. If the jobs
 * themselves are at fault, or the process, nothing is filled, all rows are zeroed, and no job is given a status:
 *
 * MW_NULL_POINTER      a NULL in a job
 * MW_INVALID_ARGUMENT  rows that overlap, or that are not of `words` words for a job's vocabulary
 * MW_UNSUPPORTED       in a child of fork() without threads of its own: see THREADS above */
MW_API int32_t mw_fill_masks(mw_mask_job *jobs, size_t count, size_t words, mw_error **error);

/* What rows hold after a token of a draft that is refused, and after an end token. */
enum mw_beyond {
    MW_BEYOND_ZERO = 0, /* nothing */
    MW_BEYOND_LAST = 1, /* the last mask before them */
    MW_BEYOND_ONES = 2  /* all bits, also those beyond the last id: nothing is constrained */
};

/* As mw_fill_masks, with what rows hold after a refused token: `beyond`, of enum mw_beyond. Ids that are no tokens, such
 * as a padding of UINT32_MAX, are refused like any other.
 *
 * MW_INVALID_ARGUMENT  an unknown `beyond`, or as mw_fill_masks */
MW_API int32_t mw_fill_masks_with(mw_mask_job *jobs, size_t count, size_t words, int32_t beyond,
                                  mw_error **error);

enum mw_logit_type {
    MW_LOGIT_F32 = 0,
    MW_LOGIT_F16 = 1, /* IEEE 754 binary16 */
    MW_LOGIT_BF16 = 2 /* bfloat16: the upper half of an f32 */
};

/* Sets the logits of all tokens that are not in `row` to minus infinity, those beyond the row
 * included; `type` is that of the `count` logits.
 *
 * MW_INVALID_ARGUMENT  an unknown type */
MW_API int32_t mw_apply_mask(const uint32_t *row, size_t words, void *logits, size_t count, int32_t type,
                             mw_error **error);

/* -------------------------------------------------------------------------------------------------
 * Readers
 * ---------------------------------------------------------------------------------------------- */

/* What a model wrote, taken apart by the file of its format: reasoning, text, calls and their arguments, told while the
 * turn is written. A reader needs no constraint, and reads what was written without one too. It never guesses: what can
 * still be read in two ways is held back until one is left. */
typedef struct mw_reader mw_reader;

/* Bits that say how a turn is read. */
enum mw_reader_flags {
    /* What is no turn of the format, from where it is none, is content and no error; and a turn may break off. */
    MW_READER_LENIENT = 1,
    /* The control token that ends a turn must be there. Without this bit it may be missing, as hosts often cut it off. */
    MW_READER_CLOSED = 2
};

/* Makes a reader at the beginning of a turn of `format` or `grammar`, for the request that the options describe: `start`,
 * tools, prompt or lead, and so on; where no tools are given, any name is one. `flags` are of enum mw_reader_flags.
 *
 * With a vocabulary the reader reads its tokens, in which control tokens are no text. Without one (NULL) it reads text, in
 * which control tokens are spelt out.
 *
 * MW_INVALID_ARGUMENT  another language than a format; an unknown flag; a lead with which no turn begins;
 *                      a format of which a part cannot be read; otherwise as mw_constraint_new
 * Other statuses are those of mw_constraint_new. Schemas are looked at only where it depends on them how a value is spelt. */
MW_API int32_t mw_reader_new(const mw_vocabulary *vocabulary, const mw_constraint_options *options, uint32_t flags,
                             mw_reader **out, mw_error **error);

/* Shows that each turn of the format which the options describe has one reading, by a test that is sufficient and not
 * necessary. Formats that come along pass it. Of one that does not, a reader gives an error where two readings of a turn
 * are left.
 *
 * MW_UNSUPPORTED  it cannot be shown; the error has a text that leads to where two readings part, and the rules of both
 * Other statuses are those of mw_reader_new. */
MW_API int32_t mw_reader_settle(const mw_constraint_options *options, mw_error **error);

/* Makes another reader at the beginning of a turn, for the same request and with the same flags. It takes next to no time,
 * and learns from what others have read: make one reader a request with mw_reader_new, and one a turn with this. `reader`
 * stays as it is, and threads may do this at once. */
MW_API int32_t mw_reader_again(const mw_reader *reader, mw_reader **out, mw_error **error);

MW_API void mw_reader_free(mw_reader *reader);

/* Reads more text, which may be cut anywhere, also within a character. What is certain now can be asked for by
 * mw_reader_next.
 *
 * MW_MALFORMED    no turn goes on like this; the field MW_FIELD_PLACE is the byte, from 0. Only without MW_READER_LENIENT,
 *                 and then for all further calls but mw_reader_next, which tells what was certain before that byte
 * MW_UNSUPPORTED  at the end of a turn: it can be read in two ways
 * MW_LIMIT        too many ways to read it are open
 * MW_ENDED        after mw_reader_finish */
MW_API int32_t mw_reader_feed(mw_reader *reader, mw_text text, mw_error **error);

/* The same for tokens. Behind an end token that the format does not name nothing may follow but others.
 *
 * MW_INVALID_ARGUMENT  the reader was made without a vocabulary, or the vocabulary lacks a token: then none is read
 * Other statuses are those of mw_reader_feed. */
MW_API int32_t mw_reader_feed_tokens(mw_reader *reader, const uint32_t *tokens, size_t count, mw_error **error);

/* Ends the turn: the last events can be asked for. Statuses are those of mw_reader_feed; that a turn is not complete is
 * MW_MALFORMED without MW_READER_LENIENT. */
MW_API int32_t mw_reader_finish(mw_reader *reader, mw_error **error);

enum mw_event_kind {
    MW_EVENT_NONE = 0,      /* nothing more is certain so far */
    MW_EVENT_REASONING = 1, /* `text`: more of what the model thinks */
    MW_EVENT_CONTENT = 2,   /* `text`: more of what it says */
    MW_EVENT_CALL = 3,      /* a call begins; `text`: the tool, `id`: its id, absent where there is none or it comes later */
    MW_EVENT_CALL_ID = 4,   /* `id` of a call that was told of */
    MW_EVENT_ARGUMENTS = 5, /* `text`: more of a call's arguments, as JSON; the code, for a tool that takes text */
    MW_EVENT_CALL_END = 6,  /* the arguments of a call are complete */
    MW_EVENT_BROKEN = 7,    /* with MW_READER_LENIENT: from here on the text is no turn, and all of it content */
    MW_EVENT_END = 8,       /* the last event, after mw_reader_finish; `complete` says whether the turn was */
    /* One argument is complete, while others may be missing: `id` is its name, `text` its value, as JSON. So what is certain of
     * a call can be shown without mending JSON that is cut off. Its text was told by MW_EVENT_ARGUMENTS already. */
    MW_EVENT_ARGUMENT = 9
};

/* What a reader tells. The host sets `size` to its sizeof; fields beyond it, as a newer library has them, are not written. */
typedef struct mw_event {
    size_t size;
    int32_t kind;     /* enum mw_event_kind */
    int32_t complete; /* of MW_EVENT_END: 1 or 0 */
    size_t call;      /* the number of the call in the turn, from 0 */
    mw_text text;
    mw_text id;
    size_t start; /* where it stands in what was fed, in bytes; control tokens count as they are spelt */
    size_t end;
} mw_event;

/* Writes the next event to `*event`, or MW_EVENT_NONE. Its texts belong to the reader and live until the next call of this
 * function.
 *
 * MW_INVALID_ARGUMENT  a `size` that cannot be */
MW_API int32_t mw_reader_next(mw_reader *reader, mw_event *event, mw_error **error);

#ifdef __cplusplus
}
#endif

#endif /* MASKWRIGHT_H */
