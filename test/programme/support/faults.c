/*
 * A file system that fails when a test says so: loaded before the C library (LD_PRELOAD), it stands between a process
 * and the calls by which files below one folder change. FAULTS names a file that the test and the process share; FAULTED
 * is the folder. See fileFaults.ts, which writes the same numbers.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { WRITE, SYNC, RENAME, OPEN, KINDS };

struct shared {
  atomic_int kind;    /* which calls fail; -1 for none */
  atomic_int at;      /* the how-manieth of them, from 1 */
  atomic_int onwards; /* whether all that follow fail too */
  atomic_int error;   /* errno; 0 for a write that is done in half */
  atomic_int failed;  /* how many have failed */
  atomic_int count[KINDS];
};

static struct shared *shared;
static const char *folder;
static size_t length;

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("FAULTS");
  folder = getenv("FAULTED");
  if (path == NULL || folder == NULL) return;
  length = strlen(folder);
  int fd = open(path, O_RDWR);
  if (fd < 0) return;
  void *at = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (at != MAP_FAILED) shared = at;
}

static int below(const char *path) {
  return shared != NULL && path != NULL && strncmp(path, folder, length) == 0 && path[length] == '/';
}

static int open_below(int fd) {
  char name[32], path[4096];
  if (shared == NULL) return 0;
  snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
  ssize_t n = readlink(name, path, sizeof path - 1);
  if (n < 0) return 0;
  path[n] = 0;
  return below(path);
}

/* Counts a call; whether it is to fail. */
static int fails(int kind) {
  int n = atomic_fetch_add(&shared->count[kind], 1) + 1;
  if (atomic_load(&shared->kind) != kind) return 0;
  int at = atomic_load(&shared->at);
  if (n != at && !(atomic_load(&shared->onwards) && n > at)) return 0;
  atomic_fetch_add(&shared->failed, 1);
  return 1;
}

static int refused(void) {
  errno = atomic_load(&shared->error);
  return -1;
}

#define REAL(name) ((typeof(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int fd, const void *bytes, size_t n) {
  if (open_below(fd) && fails(WRITE)) {
    if (atomic_load(&shared->error) != 0) return refused();
    n = (n + 1) / 2;
  }
  return REAL(write)(fd, bytes, n);
}

ssize_t pwrite64(int fd, const void *bytes, size_t n, off64_t at) {
  if (open_below(fd) && fails(WRITE)) {
    if (atomic_load(&shared->error) != 0) return refused();
    n = (n + 1) / 2;
  }
  return REAL(pwrite64)(fd, bytes, n, at);
}

ssize_t writev(int fd, const struct iovec *parts, int n) {
  if (open_below(fd) && fails(WRITE)) {
    if (atomic_load(&shared->error) != 0) return refused();
    return REAL(write)(fd, parts[0].iov_base, (parts[0].iov_len + 1) / 2);
  }
  return REAL(writev)(fd, parts, n);
}

int fdatasync(int fd) { return open_below(fd) && fails(SYNC) ? refused() : REAL(fdatasync)(fd); }

int fsync(int fd) { return open_below(fd) && fails(SYNC) ? refused() : REAL(fsync)(fd); }

int rename(const char *from, const char *to) { return below(to) && fails(RENAME) ? refused() : REAL(rename)(from, to); }

#define OPENING(name)                                                                                        \
  int name(const char *path, int flags, ...) {                                                               \
    va_list rest;                                                                                            \
    va_start(rest, flags);                                                                                   \
    mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;                           \
    va_end(rest);                                                                                            \
    if ((flags & (O_CREAT | O_WRONLY | O_RDWR)) != 0 && below(path) && fails(OPEN)) return refused();        \
    return REAL(name)(path, flags, mode);                                                                    \
  }

OPENING(open)
OPENING(open64)
