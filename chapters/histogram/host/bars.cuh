/**
 * @file bars.cuh
 * @brief The histogram of a file, as bars.
 */

#define BAR 50 /**< characters of the longest bar */

/** A line: a name, how often, and a bar that is to BAR as @p count to most. */
static void print_bar(const char *name, unsigned count, unsigned most)
{
    int length = most ? (int)((double)count / most * BAR + 0.5) : 0;
    printf("  %-4s%12u  %.*s\n", name, count, length,
           "##################################################");
}

/** The result as bars: seven bins of letters, or a bar for each letter. */
static void print_bars(const histogram *h, const unsigned *counts)
{
    bool letters = h->bins == LETTERS;
    int bars = letters ? LETTER_BINS : 26;
    const unsigned *first = letters ? counts : counts + 'a';
    unsigned most = 0;
    for (int i = 0; i < bars; i++)
        most = first[i] > most ? first[i] : most;
    printf("\n%s, %lld bytes\n", file, (long long)h->n);
    for (int i = 0; i < bars; i++) {
        int begin = letters ? 'a' + 4 * i : 'a' + i;
        int end = letters && begin + 3 < 'z' ? begin + 3 : 'z';
        char name[4] = {(char)begin, '-', (char)end, '\0'};
        name[1] = letters ? '-' : '\0';
        print_bar(name, first[i], most);
    }
    options_flush();
}
