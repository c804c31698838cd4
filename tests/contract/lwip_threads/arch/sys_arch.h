/* SPDX-License-Identifier: BSD-3-Clause */
/* arch/sys_arch.h - the kinds of objects that a threaded lwIP asks for, over POSIX threads. */
#ifndef ND_CONTRACT_SYS_ARCH_H
#define ND_CONTRACT_SYS_ARCH_H

typedef struct lock *sys_mutex_t;
typedef struct semaphore *sys_sem_t;
typedef struct mailbox *sys_mbox_t;
typedef struct thread *sys_thread_t;
typedef int sys_prot_t;

#endif
