/*
 * Fault injection into file system calls. Loaded before the C library (LD_PRELOAD), it intercepts the calls that change
 * files below a folder. FAULTS names a file shared with the test; FAULTED is the folder; FAULTS_LOG, if set, is a file
 * that receives a line for each call before it runs, as `sync /path`. fileFaults.ts writes the same numbers.
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
  atomic_int kind;    /* kind of the failing calls; -1 for none */
  atomic_int at;      /* number of the failing call of its kind, from 1 */
  atomic_int onwards; /* 1 if all later calls fail too */
  atomic_int error;   /* errno; 0 for a partial write */
  atomic_int failed;  /* number of failed calls */
  atomic_int count[KINDS];
};

static struct shared *shared;
static const char *folder;
static size_t length;
static int log_fd = -1;

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("FAULTS");
  folder = getenv("FAULTED");
  if (path == NULL || folder == NULL) return;
  length = strlen(folder);
  int fd = open(path, O_RDWR);
  if (fd < 0) return;
  void *at = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (at != MAP_FAILED) shared = at;
  const char *log = getenv("FAULTS_LOG");
  if (log != NULL) log_fd = open(log, O_WRONLY | O_APPEND | O_CREAT, 0600);
}

static int below(const char *path) {
  return shared != NULL && path != NULL && strncmp(path, folder, length) == 0 && path[length] == '/';
}

#define REAL(name) ((typeof(&name))dlsym(RTLD_NEXT, #name))

static void log_call(const char *kind, const char *path) {
  char line[4200];
  int n = snprintf(line, sizeof line, "%s %s\n", kind, path);
  if (n > 0 && REAL(write)(log_fd, line, (size_t)n) != n) abort();
}

static int open_below(int fd, const char *kind) {
  char name[32], path[4096];
  if (shared == NULL) return 0;
  snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
  ssize_t n = readlink(name, path, sizeof path - 1);
  if (n < 0) return 0;
  path[n] = 0;
  if (!below(path)) return 0;
  if (log_fd >= 0) log_call(kind, path);
  return 1;
}

/* Counts a call; returns 1 if it must fail. */
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

ssize_t write(int fd, const void *bytes, size_t n) {
  if (open_below(fd, "write") && fails(WRITE)) {
    if (atomic_load(&shared->error) != 0) return refused();
    n = (n + 1) / 2;
  }
  return REAL(write)(fd, bytes, n);
}

ssize_t pwrite64(int fd, const void *bytes, size_t n, off64_t at) {
  if (open_below(fd, "write") && fails(WRITE)) {
    if (atomic_load(&shared->error) != 0) return refused();
    n = (n + 1) / 2;
  }
  return REAL(pwrite64)(fd, bytes, n, at);
}

ssize_t writev(int fd, const struct iovec *parts, int n) {
  if (open_below(fd, "write") && fails(WRITE)) {
    if (atomic_load(&shared->error) != 0) return refused();
    return REAL(write)(fd, parts[0].iov_base, (parts[0].iov_len + 1) / 2);
  }
  return REAL(writev)(fd, parts, n);
}

/*
 * LevelDB writes through buffers of the C library, whose internal calls are not intercepted. If the library cannot write
 * a buffer, it drops it, possibly after writing a part.
 */
static int dropped(FILE *file) {
  int error = atomic_load(&shared->error);
  size_t n = (size_t)(file->_IO_write_ptr - file->_IO_write_base);
  if (error == 0) {
    if (REAL(write)(fileno(file), file->_IO_write_base, (n + 1) / 2) < 0) abort();
    error = ENOSPC;
  }
  file->_IO_write_ptr = file->_IO_write_base;
  errno = error;
  return EOF;
}

int fflush_unlocked(FILE *file) {
  if (file != NULL && file->_IO_write_ptr > file->_IO_write_base && open_below(fileno(file), "write") && fails(WRITE))
    return dropped(file);
  return REAL(fflush_unlocked)(file);
}

size_t fwrite_unlocked(const void *bytes, size_t size, size_t n, FILE *file) {
  /* Data that does not fit in the buffer is written immediately. */
  if ((size_t)(file->_IO_buf_end - file->_IO_write_ptr) < size * n && file->_IO_buf_end != NULL &&
      open_below(fileno(file), "write") && fails(WRITE)) {
    dropped(file);
    return 0;
  }
  return REAL(fwrite_unlocked)(bytes, size, n, file);
}

int fdatasync(int fd) { return open_below(fd, "sync") && fails(SYNC) ? refused() : REAL(fdatasync)(fd); }

int fsync(int fd) { return open_below(fd, "sync") && fails(SYNC) ? refused() : REAL(fsync)(fd); }

int rename(const char *from, const char *to) {
  if (!below(to)) return REAL(rename)(from, to);
  if (log_fd >= 0) log_call("rename", to);
  return fails(RENAME) ? refused() : REAL(rename)(from, to);
}

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

FILE *fopen(const char *path, const char *how) {
  if (how[0] != 'r' && below(path) && fails(OPEN)) {
    refused();
    return NULL;
  }
  return REAL(fopen)(path, how);
}
