/* Eight threads share one constraint: each must see what one thread sees. */
#include "check.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS ((TOKEN_COUNT + 31) / 32)
enum { THREADS = 8, TEXTS = 12 };

struct work {
    const mw_constraint *constraint;
    uint64_t digest;
};

/* Random texts, the same in every thread, and a digest of all their masks. */
static void *run(void *argument) {
    struct work *work = (struct work *)argument;
    uint32_t row[WORDS];
    work->digest = 14695981039346656037u;
    for (uint64_t text = 0; text < TEXTS; text++) {
        uint64_t seed = text;
        mw_session *session = session_of(work->constraint);
        for (int step = 0; step < 80 && !(mw_session_state(session) & MW_STATE_FINISHED); step++) {
            mw_mask_job job;
            memset(&job, 0, sizeof job);
            job.session = session;
            job.rows = row;
            OK(step % 2 ? mw_fill_mask(session, row, WORDS, NULL) : mw_fill_masks(&job, 1, WORDS, NULL));
            for (size_t word = 0; word < WORDS; word++) {
                work->digest = (work->digest ^ row[word]) * 1099511628211u;
            }
            uint32_t id;
            do {
                id = next_random(&seed) % TOKEN_COUNT;
            } while (!allowed(row, id));
            OK(mw_accept(session, &id, 1, NULL));
        }
        mw_session_free(session);
    }
    return NULL;
}

/* Enough rows for the pool, from several threads at once. */
static void *batch(void *argument) {
    enum { JOBS = 300 };
    struct work *work = (struct work *)argument;
    uint32_t *rows = (uint32_t *)calloc(JOBS, WORDS * sizeof *rows);
    mw_session *session = session_of(work->constraint);
    mw_mask_job jobs[JOBS];
    memset(jobs, 0, sizeof jobs);
    for (size_t i = 0; i < JOBS; i++) {
        jobs[i].session = session;
        jobs[i].rows = rows + i * WORDS;
    }
    for (int turn = 0; turn < 20; turn++) {
        OK(mw_fill_masks(jobs, JOBS, WORDS, NULL));
        CHECK(memcmp(rows, rows + (JOBS - 1) * WORDS, WORDS * sizeof *rows) == 0);
    }
    mw_session_free(session);
    free(rows);
    return NULL;
}

static void together(void *(*body)(void *), struct work *work) {
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
        CHECK(pthread_create(&threads[i], NULL, body, &work[i]) == 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
    }
}

/* What a child of this process can do, which has the pool and none of its threads. */
static void in_child(const mw_constraint *constraint) {
    enum { JOBS = 300 };
    alarm(60); /* a hang is a failure */
    uint32_t *rows = (uint32_t *)calloc(JOBS, WORDS * sizeof *rows), row[WORDS];
    mw_session *session = session_of(constraint);
    mw_mask_job jobs[JOBS];
    memset(jobs, 0, sizeof jobs);
    for (size_t i = 0; i < JOBS; i++) {
        jobs[i].session = session;
        jobs[i].rows = rows + i * WORDS;
    }
    for (size_t count = JOBS; count > 0; count /= 300) {
        memset(rows, 0xFF, WORDS * sizeof *rows);
        FAILS(MW_UNSUPPORTED, mw_fill_masks(jobs, count, WORDS, NULL));
        CHECK(rows[0] == 0);
    }
    OK(mw_fill_mask(session, row, WORDS, NULL));
    CHECK(allowed(row, ID_START) || allowed(row, ID_CHANNEL));
    mw_session_free(session);
    free(rows);
}

static void forked(const mw_constraint *constraint) {
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        in_child(constraint);
        /* Not by an exit, at which valgrind would call lost what the threads had that are not here. */
        kill(getpid(), SIGKILL);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static mw_constraint *fresh(const mw_vocabulary *vocabulary) {
    mw_constraint_options options = no_options();
    options.format = text_of("harmony");
    options.tools = text_of("[{\"name\": \"f\", \"parameters\": {\"properties\": {\"a\": {\"type\": \"string\"}}}}]");
    mw_constraint *constraint = NULL;
    OK(mw_constraint_new(vocabulary, &options, &constraint, NULL));
    return constraint;
}

int main(void) {
    mw_vocabulary *vocabulary = byte_vocabulary(0);
    mw_constraint *alone = fresh(vocabulary), *shared = fresh(vocabulary);
    struct work one, work[THREADS];
    one.constraint = alone;
    run(&one);
    for (size_t i = 0; i < THREADS; i++) {
        work[i].constraint = shared;
    }
    together(run, work);
    for (size_t i = 0; i < THREADS; i++) {
        CHECK(work[i].digest == one.digest);
    }
    together(batch, work);
    forked(shared);
    mw_constraint_free(alone);
    mw_constraint_free(shared);
    mw_vocabulary_free(vocabulary);
    return 0;
}
