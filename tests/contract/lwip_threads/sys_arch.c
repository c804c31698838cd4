/* SPDX-License-Identifier: BSD-3-Clause */
/* sys_arch.c - locks, semaphores, mailboxes and threads for lwIP, over POSIX threads. */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "lwip/err.h"
#include "lwip/sys.h"

#define NS_PER_MS 1000000u
#define NS_PER_S  1000000000u

struct lock {
    pthread_mutex_t mutex;
};

struct semaphore {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    unsigned count;
};

struct mailbox {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    unsigned size;
    unsigned first;
    unsigned count;
    void *messages[];
};

struct thread {
    pthread_t id;
    lwip_thread_fn run;
    void *arg;
};

static uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

u32_t sys_now(void) {
    return (u32_t)(now_ns() / NS_PER_MS);
}

static void make_condition(pthread_cond_t *changed) {
    pthread_condattr_t kind;
    pthread_condattr_init(&kind);
    pthread_condattr_setclock(&kind, CLOCK_MONOTONIC);
    pthread_cond_init(changed, &kind);
    pthread_condattr_destroy(&kind);
}

/* Wait for a change until then, or for ever (0): false when the time has come. */
static bool wait_until(pthread_cond_t *changed, pthread_mutex_t *mutex, uint64_t until_ns) {
    struct timespec until = {.tv_sec = (time_t)(until_ns / NS_PER_S),
                             .tv_nsec = (long)(until_ns % NS_PER_S)};
    if (until_ns == 0) {
        return pthread_cond_wait(changed, mutex) == 0;
    }
    return pthread_cond_timedwait(changed, mutex, &until) != ETIMEDOUT;
}

static uint64_t end_of(u32_t timeout_ms) {
    return timeout_ms == 0 ? 0 : now_ns() + (uint64_t)timeout_ms * NS_PER_MS;
}

/* ---- locks -------------------------------------------------------------------------- */

static pthread_mutex_t protection;

void sys_init(void) {
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&protection, &kind);
    pthread_mutexattr_destroy(&kind);
}

sys_prot_t sys_arch_protect(void) {
    pthread_mutex_lock(&protection);
    return 0;
}

void sys_arch_unprotect(sys_prot_t former) {
    (void)former;
    pthread_mutex_unlock(&protection);
}

err_t sys_mutex_new(sys_mutex_t *mutex) {
    *mutex = malloc(sizeof **mutex);
    if (*mutex == NULL) {
        return ERR_MEM;
    }
    pthread_mutex_init(&(*mutex)->mutex, NULL);
    return ERR_OK;
}

void sys_mutex_lock(sys_mutex_t *mutex) {
    pthread_mutex_lock(&(*mutex)->mutex);
}

void sys_mutex_unlock(sys_mutex_t *mutex) {
    pthread_mutex_unlock(&(*mutex)->mutex);
}

/* ---- semaphores --------------------------------------------------------------------- */

err_t sys_sem_new(sys_sem_t *sem, u8_t count) {
    *sem = calloc(1, sizeof **sem);
    if (*sem == NULL) {
        return ERR_MEM;
    }
    pthread_mutex_init(&(*sem)->mutex, NULL);
    make_condition(&(*sem)->changed);
    (*sem)->count = count;
    return ERR_OK;
}

void sys_sem_signal(sys_sem_t *sem) {
    pthread_mutex_lock(&(*sem)->mutex);
    (*sem)->count++;
    pthread_cond_signal(&(*sem)->changed);
    pthread_mutex_unlock(&(*sem)->mutex);
}

u32_t sys_arch_sem_wait(sys_sem_t *sem, u32_t timeout) {
    uint64_t end_ns = end_of(timeout);
    bool in_time = true;
    pthread_mutex_lock(&(*sem)->mutex);
    while ((*sem)->count == 0 && in_time) {
        in_time = wait_until(&(*sem)->changed, &(*sem)->mutex, end_ns);
    }
    bool taken = (*sem)->count > 0;
    (*sem)->count -= taken ? 1u : 0u;
    pthread_mutex_unlock(&(*sem)->mutex);
    return taken ? 0 : SYS_ARCH_TIMEOUT;
}

void sys_sem_free(sys_sem_t *sem) {
    pthread_cond_destroy(&(*sem)->changed);
    pthread_mutex_destroy(&(*sem)->mutex);
    free(*sem);
}

int sys_sem_valid(sys_sem_t *sem) {
    return *sem != NULL;
}

void sys_sem_set_invalid(sys_sem_t *sem) {
    *sem = NULL;
}

/* ---- mailboxes ---------------------------------------------------------------------- */

err_t sys_mbox_new(sys_mbox_t *mbox, int size) {
    *mbox = calloc(1, sizeof **mbox + (size_t)size * sizeof(void *));
    if (*mbox == NULL) {
        return ERR_MEM;
    }
    pthread_mutex_init(&(*mbox)->mutex, NULL);
    make_condition(&(*mbox)->changed);
    (*mbox)->size = (unsigned)size;
    return ERR_OK;
}

static err_t post(struct mailbox *box, void *message, bool patient) {
    pthread_mutex_lock(&box->mutex);
    while (box->count == box->size && patient) {
        pthread_cond_wait(&box->changed, &box->mutex);
    }
    bool room = box->count < box->size;
    if (room) {
        box->messages[(box->first + box->count) % box->size] = message;
        box->count++;
        pthread_cond_broadcast(&box->changed);
    }
    pthread_mutex_unlock(&box->mutex);
    return room ? ERR_OK : ERR_MEM;
}

void sys_mbox_post(sys_mbox_t *mbox, void *message) {
    post(*mbox, message, true);
}

err_t sys_mbox_trypost(sys_mbox_t *mbox, void *message) {
    return post(*mbox, message, false);
}

err_t sys_mbox_trypost_fromisr(sys_mbox_t *mbox, void *message) {
    return post(*mbox, message, false);
}

/* Take the oldest message; the mutex is held. */
static bool take(struct mailbox *box, void **message) {
    if (box->count == 0) {
        return false;
    }
    if (message != NULL) {
        *message = box->messages[box->first];
    }
    box->first = (box->first + 1) % box->size;
    box->count--;
    pthread_cond_broadcast(&box->changed);
    return true;
}

u32_t sys_arch_mbox_fetch(sys_mbox_t *mbox, void **message, u32_t timeout) {
    struct mailbox *box = *mbox;
    uint64_t end_ns = end_of(timeout);
    bool in_time = true;
    bool taken;
    pthread_mutex_lock(&box->mutex);
    while (!(taken = take(box, message)) && in_time) {
        in_time = wait_until(&box->changed, &box->mutex, end_ns);
    }
    pthread_mutex_unlock(&box->mutex);
    return taken ? 0 : SYS_ARCH_TIMEOUT;
}

u32_t sys_arch_mbox_tryfetch(sys_mbox_t *mbox, void **message) {
    pthread_mutex_lock(&(*mbox)->mutex);
    bool taken = take(*mbox, message);
    pthread_mutex_unlock(&(*mbox)->mutex);
    return taken ? 0 : SYS_MBOX_EMPTY;
}

void sys_mbox_free(sys_mbox_t *mbox) {
    pthread_cond_destroy(&(*mbox)->changed);
    pthread_mutex_destroy(&(*mbox)->mutex);
    free(*mbox);
}

int sys_mbox_valid(sys_mbox_t *mbox) {
    return *mbox != NULL;
}

void sys_mbox_set_invalid(sys_mbox_t *mbox) {
    *mbox = NULL;
}

/* ---- threads ------------------------------------------------------------------------ */

static void *begin(void *arg) {
    const struct thread *thread = arg;
    thread->run(thread->arg);
    return NULL;
}

/* lwIP's threads end with the process. */
sys_thread_t sys_thread_new(const char *name, lwip_thread_fn run, void *arg, int stack_bytes,
                            int priority) {
    (void)name;
    (void)stack_bytes;
    (void)priority;
    struct thread *thread = malloc(sizeof *thread);
    if (thread != NULL) {
        *thread = (struct thread){.run = run, .arg = arg};
        pthread_create(&thread->id, NULL, begin, thread);
    }
    return thread;
}
