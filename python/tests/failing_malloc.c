/* An allocator whose n-th large request fails, once. The loader puts it before that of the C library (`LD_PRELOAD`). */

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

static atomic_size_t large = (size_t)-1;
static atomic_long left, met, failed;

/* The last block that was made of a large request, until another one is asked for, and the size that was freed with it. std cannot make an `Arc` of
   a length that can fail, so the package asks for as much memory before, and frees it: to ask for that again is no other request. */
static _Atomic(void *) last;
static atomic_size_t last_bytes, freed;

/* From now on the n-th request of at least so many bytes fails; none for zero. The answer is how many were counted before. */
long fail_at(long n, size_t bytes)
{
    large = bytes;
    left = n;
    failed = 0;
    last = NULL;
    freed = 0;
    return atomic_exchange(&met, 0);
}

/* How many have failed since then. */
long failures(void)
{
    return failed;
}

static int fails(size_t bytes)
{
    if (bytes < large || bytes == atomic_exchange(&freed, 0))
        return 0;
    met++;
    if (left == 0 || --left)
        return 0;
    failed++;
    errno = ENOMEM;
    return 1;
}

static void *noted(void *made, size_t bytes)
{
    if (bytes >= large) {
        last = made;
        last_bytes = bytes;
    }
    return made;
}

void *malloc(size_t bytes)
{
    return fails(bytes) ? NULL : noted(__libc_malloc(bytes), bytes);
}

void free(void *held)
{
    if (held && held == last) {
        last = NULL;
        freed = last_bytes;
    }
    __libc_free(held);
}

void *calloc(size_t items, size_t bytes)
{
    return fails(items * bytes) ? NULL : __libc_calloc(items, bytes);
}

void *realloc(void *held, size_t bytes)
{
    if (fails(bytes))
        return NULL;
    if (held == last)
        last = NULL;
    return __libc_realloc(held, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return fails(bytes) ? NULL : __libc_memalign(alignment, bytes);
}

int posix_memalign(void **made, size_t alignment, size_t bytes)
{
    if (fails(bytes))
        return ENOMEM;
    *made = __libc_memalign(alignment, bytes);
    return *made || !bytes ? 0 : ENOMEM;
}
