/* Says what CPUID answers, and its arguments. */
#include "padlock.h"

int main(int count, char **arguments)
{
    char text[13];
    printf("%s", vendor(text));
    for (int i = 0; i < count; i++)
        printf(" %s", arguments[i]);
    printf(" %s\n", getenv("KEPT") ? getenv("KEPT") : "-");
    return 0;
}
