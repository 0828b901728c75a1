/**
 * @file ptx.h
 * @brief Inline PTX, by mnemonic.
 */
#ifndef PTX_H
#define PTX_H

#include <stdint.h>

#include "worker.h"

/** Do one asm statement; see sim_hook_ptx(). */
void sim_ptx(sim_worker *w, const char *text, uint64_t *slots, uint32_t outputs,
             uint32_t site);

#endif
