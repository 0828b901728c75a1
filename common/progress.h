/**
 * @file progress.h
 * @brief One line on a terminal that says what takes long, then vanishes.
 */
#ifndef PROGRESS_H
#define PROGRESS_H

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Replace the line, printf-style; does nothing unless standard output is a
 * terminal that can erase it.
 */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void progress(const char *format, ...);

/** Erase the line; before anything else is printed. */
void progress_clear(void);

#ifdef __cplusplus
}
#endif

#endif
