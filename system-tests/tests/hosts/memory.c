/*
 * A host whose memory runs out: every allocation in turn fails, once or from then on, while our module
 * is loaded and works. What must come of it is an error or right bytes.
 *
 *     memory CONFIGURATION MODULE all|module once|onwards STEP
 *
 * "all" fails every allocation, "module" only those that the module asks for itself. The interposed
 * functions below win over the C library's because they are in the program. Prints one line:
 * allocations, errors, right results, crashes in the module, crashes elsewhere, wrong results.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* What we need of libcrypto, whose headers are not needed for it (openssl/evp.h, openssl/provider.h). */
typedef struct ossl_lib_ctx_st OSSL_LIB_CTX;
typedef struct ossl_provider_st OSSL_PROVIDER;
typedef struct evp_cipher_st EVP_CIPHER;
typedef struct evp_cipher_ctx_st EVP_CIPHER_CTX;
OSSL_LIB_CTX *OSSL_LIB_CTX_new(void);
int OSSL_LIB_CTX_load_config(OSSL_LIB_CTX *, const char *);
void OSSL_LIB_CTX_free(OSSL_LIB_CTX *);
OSSL_PROVIDER *OSSL_PROVIDER_load(OSSL_LIB_CTX *, const char *);
int OSSL_PROVIDER_unload(OSSL_PROVIDER *);
EVP_CIPHER *EVP_CIPHER_fetch(OSSL_LIB_CTX *, const char *, const char *);
void EVP_CIPHER_free(EVP_CIPHER *);
EVP_CIPHER_CTX *EVP_CIPHER_CTX_new(void);
void EVP_CIPHER_CTX_free(EVP_CIPHER_CTX *);
int EVP_CIPHER_CTX_copy(EVP_CIPHER_CTX *, const EVP_CIPHER_CTX *);
int EVP_CIPHER_CTX_ctrl(EVP_CIPHER_CTX *, int, int, void *);
int EVP_CIPHER_CTX_get_updated_iv(EVP_CIPHER_CTX *, void *, size_t);
int EVP_CipherInit_ex2(EVP_CIPHER_CTX *, const EVP_CIPHER *, const unsigned char *,
                       const unsigned char *, int, const void *);
int EVP_CipherUpdate(EVP_CIPHER_CTX *, unsigned char *, int *, const unsigned char *, int);
int EVP_CipherFinal_ex(EVP_CIPHER_CTX *, unsigned char *, int *);
typedef struct evp_md_st EVP_MD;
typedef struct evp_md_ctx_st EVP_MD_CTX;
EVP_MD *EVP_MD_fetch(OSSL_LIB_CTX *, const char *, const char *);
void EVP_MD_free(EVP_MD *);
EVP_MD_CTX *EVP_MD_CTX_new(void);
void EVP_MD_CTX_free(EVP_MD_CTX *);
int EVP_MD_CTX_copy_ex(EVP_MD_CTX *, const EVP_MD_CTX *);
int EVP_DigestInit_ex2(EVP_MD_CTX *, const EVP_MD *, const void *);
int EVP_DigestUpdate(EVP_MD_CTX *, const void *, size_t);
int EVP_DigestFinal_ex(EVP_MD_CTX *, unsigned char *, unsigned int *);

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

enum { ERROR = 1, WRONG = 2, CRASH_IN_MODULE = 3, CRASH_ELSEWHERE = 4 };

static const char *module;
static int only_module, onwards, counting;
static long count, failing;

struct range { const void *address; const char *file; int found; };

static int look(struct dl_phdr_info *info, size_t size, void *data)
{
    struct range *range = data;
    (void)size;
    if (strcmp(info->dlpi_name, range->file) != 0)
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const char *start = (const char *)info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        const char *address = range->address;
        range->found |= address >= start && address < start + info->dlpi_phdr[i].p_memsz;
    }
    return 1;
}

static int in_module(const void *address)
{
    struct range range = { address, module, 0 };
    dl_iterate_phdr(look, &range);
    return range.found;
}

static int fails(const void *caller)
{
    if (!counting || (only_module && !in_module(caller)))
        return 0;
    count++;
    if (failing == 0 || (onwards ? count < failing : count != failing))
        return 0;
    errno = ENOMEM;
    return 1;
}

#define CALLER __builtin_return_address(0)
void *malloc(size_t size) { return fails(CALLER) ? NULL : __libc_malloc(size); }
void *calloc(size_t n, size_t size) { return fails(CALLER) ? NULL : __libc_calloc(n, size); }
void *realloc(void *old, size_t size) { return fails(CALLER) ? NULL : __libc_realloc(old, size); }
void *aligned_alloc(size_t a, size_t size) { return fails(CALLER) ? NULL : __libc_memalign(a, size); }
void *memalign(size_t a, size_t size) { return fails(CALLER) ? NULL : __libc_memalign(a, size); }
int posix_memalign(void **out, size_t a, size_t size)
{
    if (fails(CALLER))
        return ENOMEM;
    *out = __libc_memalign(a, size);
    return *out == NULL ? ENOMEM : 0;
}

/* Tells whose crash it is: the module's if it is anywhere on the stack. */
static void crashed(int number)
{
    void *frames[100];
    (void)number;
    counting = 0;
    int depth = backtrace(frames, 100);
    for (int i = 0; i < depth; i++) {
        if (in_module(frames[i])) {
            if (getenv("WIRESPEED_BACKTRACE") != NULL)
                backtrace_symbols_fd(frames, depth, 2);
            _exit(CRASH_IN_MODULE);
        }
    }
    _exit(CRASH_ELSEWHERE);
}

static const char *const NAMES[] = { "AES-128-GCM", "AES-256-CBC", "AES-128-CTR", "AES-256-XTS",
                                     "AES-192-CFB", "AES-128-ECB", "AES-128-OFB" };
static const char *const HASHES[] = { "SHA2-256", "SHA2-256", "SHA1", "SHA2-256" };
enum { CIPHERS = sizeof NAMES / sizeof *NAMES, ALL = CIPHERS + sizeof HASHES / sizeof *HASHES };
enum { LENGTH = 208, CUT = 64 };
static unsigned char right[ALL][LENGTH + 32];

/* One message of one cipher, through a copy of its context; 1, or 0 for an error of OpenSSL's. */
static int message(OSSL_LIB_CTX *library, int which, unsigned char *out)
{
    unsigned char key[64], iv[16], data[LENGTH];
    int length = 0, more = 0, last = 0, good = 0;
    for (int i = 0; i < 64; i++)
        key[i] = i * 7 + which;
    memset(iv, which, sizeof iv);
    memset(data, 0x5a, sizeof data);
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(library, NAMES[which], NULL);
    EVP_CIPHER_CTX *work = EVP_CIPHER_CTX_new(), *copy = EVP_CIPHER_CTX_new();
    int whole = which == 3; /* XTS takes a message in one call */
    if (cipher != NULL && work != NULL && copy != NULL
        && EVP_CipherInit_ex2(work, cipher, key, iv, 1, NULL) == 1
        && (whole || EVP_CipherUpdate(work, out, &length, data, CUT) == 1)
        && EVP_CIPHER_CTX_copy(copy, work) == 1
        && EVP_CipherUpdate(copy, out + length, &more, data + length, LENGTH - length) == 1
        && EVP_CipherFinal_ex(copy, out + length + more, &last) == 1)
        good = which != 0 || EVP_CIPHER_CTX_ctrl(copy, 0x10, 16, out + LENGTH) == 1; /* the tag */
    EVP_CIPHER_CTX_free(copy);
    EVP_CIPHER_CTX_free(work);
    EVP_CIPHER_free(cipher);
    return good;
}

/* The same of one hash function. */
static int hash(OSSL_LIB_CTX *library, const char *name, unsigned char *out)
{
    unsigned char data[LENGTH];
    unsigned int length;
    memset(data, 0x5a, sizeof data);
    EVP_MD *function = EVP_MD_fetch(library, name, NULL);
    EVP_MD_CTX *work = EVP_MD_CTX_new(), *copy = EVP_MD_CTX_new();
    int good = function != NULL && work != NULL && copy != NULL
        && EVP_DigestInit_ex2(work, function, NULL) == 1
        && EVP_DigestUpdate(work, data, CUT + 1) == 1
        && EVP_MD_CTX_copy_ex(copy, work) == 1
        && EVP_DigestUpdate(copy, data, LENGTH - CUT - 1) == 1
        && EVP_DigestFinal_ex(copy, out, &length) == 1;
    EVP_MD_CTX_free(copy);
    EVP_MD_CTX_free(work);
    EVP_MD_free(function);
    return good;
}

static int any(OSSL_LIB_CTX *library, int which, unsigned char *out)
{
    return which < CIPHERS ? message(library, which, out)
                           : hash(library, HASHES[which - CIPHERS], out);
}

/* Loads the module and works with it; 0, ERROR or WRONG. */
static int live(OSSL_LIB_CTX *library)
{
    unsigned char out[LENGTH + 32];
    OSSL_PROVIDER *ours = OSSL_PROVIDER_load(library, "wirespeed");
    if (ours == NULL)
        return ERROR;
    int verdict = 0;
    for (int i = 0; i < ALL && verdict != WRONG; i++) {
        memset(out, 0, sizeof out);
        if (!any(library, i, out))
            verdict = ERROR;
        else if (memcmp(out, right[i], sizeof out) != 0)
            verdict = WRONG;
    }
    OSSL_PROVIDER_unload(ours);
    return verdict;
}

int main(int arguments, char **argument)
{
    long ends[5] = { 0 }, total;
    if (arguments != 6)
        return 64;
    module = argument[2];
    only_module = strcmp(argument[3], "module") == 0;
    onwards = strcmp(argument[4], "onwards") == 0;
    long step = atol(argument[5]);
    struct rlimit none = { 0, 0 };
    setrlimit(RLIMIT_CORE, &none);
    void *frame[1];
    backtrace(frame, 1); /* loads what it needs while there is memory */
    OSSL_LIB_CTX *stock = OSSL_LIB_CTX_new(), *library = OSSL_LIB_CTX_new();
    for (int i = 0; i < ALL; i++)
        if (!any(stock, i, right[i]))
            return 65;
    /* Makes the module known without loading it. */
    if (library == NULL || OSSL_LIB_CTX_load_config(library, argument[1]) != 1)
        return 66;
    int ready[2];
    if (pipe(ready) != 0)
        return 67;
    for (failing = 0, total = 1; failing <= total; failing += failing == 0 ? 1 : step) {
        pid_t child = fork();
        if (child < 0)
            return 68;
        if (child == 0) {
            int fatal[] = { SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE };
            for (int i = 0; i < 5; i++)
                signal(fatal[i], crashed);
            alarm(60);
            counting = 1;
            int verdict = live(library);
            counting = 0;
            if (failing == 0 && write(ready[1], &count, sizeof count) < 0)
                _exit(70);
            _exit(verdict);
        }
        int status;
        if (waitpid(child, &status, 0) != child)
            return 69;
        int end = WIFEXITED(status) ? WEXITSTATUS(status) : CRASH_IN_MODULE;
        if (failing == 0) {
            if (end != 0 || read(ready[0], &total, sizeof total) != sizeof total)
                return 70;
            continue;
        }
        if (end > 4)
            return 71;
        ends[end]++;
        if (end >= WRONG)
            fprintf(stderr, "allocation %ld of %ld: %d\n", failing, total, end);
    }
    printf("%ld %ld %ld %ld %ld %ld\n", total, ends[ERROR], ends[0], ends[CRASH_IN_MODULE],
           ends[CRASH_ELSEWHERE], ends[WRONG]);
    return 0;
}
