/* A library that makes alarm(2) ring soon: benchmarks that run until it rings end in a moment. */
#include <sys/time.h>

unsigned alarm(unsigned seconds)
{
    struct itimerval soon = { .it_value = { .tv_usec = seconds ? 40000 : 0 } };
    return setitimer(ITIMER_REAL, &soon, 0) != 0;
}
