/* The loop of docs/guide/c.md, with a host around it: a "model" whose logits are random numbers. */
#include "check.h"

struct model {
    uint64_t seed;
    float logits[TOKEN_COUNT];
    uint32_t text[4096];
    size_t length;
};

static float *model_logits(struct model *model) {
    for (size_t id = 0; id < TOKEN_COUNT; id++) {
        model->logits[id] = (float)(next_random(&model->seed) % 1000);
    }
    /* A bias towards ending. */
    model->logits[ID_CALL] += 2000;
    model->logits['"'] += 900;
    model->logits['}'] += 900;
    return model->logits;
}

static size_t model_size(const struct model *model) {
    return sizeof model->logits / sizeof model->logits[0];
}

static uint32_t model_sample(const struct model *model) {
    uint32_t best = 0;
    for (uint32_t id = 0; id < TOKEN_COUNT; id++) {
        best = model->logits[id] > model->logits[best] ? id : best;
    }
    return best;
}

static void model_append(struct model *model, uint32_t token) {
    CHECK(model->length < sizeof model->text / sizeof model->text[0]);
    model->text[model->length++] = token;
}

#include "page_loop.h"

int main(void) {
    mw_vocabulary *vocabulary = byte_vocabulary(0);
    static struct model model;
    for (model.seed = 0; model.seed < 20; model.seed++) {
        model.length = 0;
        OK(generate(vocabulary, text_of("[{\"name\": \"now\"}]"), &model));
        CHECK(model.length > 0 && model.text[model.length - 1] == ID_CALL);
    }
    CHECK(generate(vocabulary, text_of("["), &model) == MW_MALFORMED);
    mw_vocabulary_free(vocabulary);
    return 0;
}
