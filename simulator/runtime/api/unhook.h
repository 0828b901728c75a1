/**
 * @file unhook.h
 * @brief SIM_CHECKS=0: kernels without their hooks.
 */
#ifndef UNHOOK_H
#define UNHOOK_H

/** Before the first launch: take the hooks away, if nobody wants them. */
void sim_unhook(void);

#endif
