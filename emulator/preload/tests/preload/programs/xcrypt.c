/* xcrypt MODE BITS encrypt|decrypt: standard input through one instruction. The IV is the key's last 16 bytes. */
#include "padlock.h"

static const struct {
    const char *name;
    void (*run)(struct call *);
} MODES[] = {
    { "ecb", xcryptecb }, { "cbc", xcryptcbc }, { "ctr", xcryptctr },
    { "cfb", xcryptcfb }, { "ofb", xcryptofb },
};

static uint8_t data[1 << 16], result[1 << 16];

int main(int count, char **arguments)
{
    CHECK(count == 4);
    _Alignas(16) uint8_t iv[16];
    memcpy(iv, KEY + 16, 16);
    int direction = strcmp(arguments[3], "decrypt") ? 0 : DECRYPT;
    _Alignas(16) uint32_t control[4] = { control_word(atoi(arguments[2]), direction) };
    size_t length = fread(data, 1, sizeof data, stdin);
    for (size_t i = 0; i < sizeof MODES / sizeof *MODES; i++) {
        if (strcmp(MODES[i].name, arguments[1]))
            continue;
        struct call call = { data, result, length / 16, KEY, control, (uint64_t)iv };
        MODES[i].run(&call);
        CHECK(call.count == 0 && call.source == data + length);
        fwrite(result, 1, length, stdout);
        return 0;
    }
    CHECK(!"a mode of this name");
}
