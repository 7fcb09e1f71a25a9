/* A library that asks CPUID in its constructor. */
#include "padlock.h"

char seen_by_constructor[13];

__attribute__((constructor)) static void ask(void)
{
    vendor(seen_by_constructor);
}
