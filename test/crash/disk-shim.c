/*
 * Stands between a process and its disk (LD_PRELOAD), for the files below one folder only. Two things, each on demand:
 *
 *   DISK_LOG=path      every write, sync and change of a folder is noted there, with its bytes and in its order, so that
 *                      a loss of power at any moment can be acted out afterwards (power-loss.ts).
 *   DISK_CONTROL=path  a file of numbers, shared while the process runs, that says which calls fail and how much room
 *                      the disk has (disk-faults.ts).
 *
 *   DISK_FOLDER=path   the folder. What is written to standard output is noted too: it tells what was acknowledged when.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* What a record of the log is about; power-loss.ts reads the same numbers. */
enum { OPENED = 1, WRITE_BEGUN, WRITE_DONE, SYNC_BEGUN, SYNC_DONE, CUT_TO, LINKED, RENAMED, REMOVED, SAID, FOLDER_MADE };

struct record {
  uint32_t kind, file;
  uint64_t offset, bytes;
};

/* The numbers of the control file; disk-faults.ts reads and writes the same. */
struct control {
  int64_t calls;     /* calls of the kinds below so far */
  int64_t fail_from; /* the first call that fails, counted from 1; 0: none */
  int64_t fail_count;
  int64_t error;     /* what they fail with; 0: half of the bytes are written */
  int64_t kinds;     /* 1: writes of pages, 2: syncs, 4: writes that are on the disk when they return */
  int64_t failed;    /* how many have failed */
  int64_t capacity;  /* how many bytes all files together may have; 0: any number */
  int64_t capacity_error;
};

enum { FILES_MAX = 1024 };
static struct {
  uint32_t number; /* 0: not ours */
  int durable;     /* O_DSYNC or O_SYNC */
  int appending;
  int folder;
  char path[512];
} files[FILES_MAX];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *root;
static int log_fd = -1;
static struct control *control;
static uint32_t next_number = 1;

static int (*real_open)(const char *, int, ...);
static int (*real_openat)(int, const char *, int, ...);
static int (*real_close)(int);
static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_writev)(int, const struct iovec *, int);
static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);
static ssize_t (*real_pwritev)(int, const struct iovec *, int, off_t);
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);
static int (*real_ftruncate)(int, off_t);
static int (*real_link)(const char *, const char *);
static int (*real_rename)(const char *, const char *);
static int (*real_unlink)(const char *);
static int (*real_mkdir)(const char *, mode_t);

/* Some C libraries have no names of their own for large files. */
static void *find(const char *name, const char *otherwise) {
  void *found = dlsym(RTLD_NEXT, name);
  return found ? found : dlsym(RTLD_NEXT, otherwise);
}

__attribute__((constructor)) static void begin(void) {
  real_open = find("open64", "open");
  real_openat = find("openat64", "openat");
  real_close = dlsym(RTLD_NEXT, "close");
  real_write = dlsym(RTLD_NEXT, "write");
  real_writev = dlsym(RTLD_NEXT, "writev");
  real_pwrite = find("pwrite64", "pwrite");
  real_pwritev = find("pwritev64", "pwritev");
  real_fsync = dlsym(RTLD_NEXT, "fsync");
  real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
  real_ftruncate = find("ftruncate64", "ftruncate");
  real_link = dlsym(RTLD_NEXT, "link");
  real_rename = dlsym(RTLD_NEXT, "rename");
  real_unlink = dlsym(RTLD_NEXT, "unlink");
  real_mkdir = dlsym(RTLD_NEXT, "mkdir");
  root = getenv("DISK_FOLDER");
  const char *log = getenv("DISK_LOG"), *numbers = getenv("DISK_CONTROL");
  if (log) log_fd = real_open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (numbers) {
    int fd = real_open(numbers, O_RDWR | O_CLOEXEC);
    if (fd >= 0) {
      void *map = mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
      if (map != MAP_FAILED) control = map;
      real_close(fd);
    }
  }
}

static int is_ours(const char *path) {
  if (!root || !path) return 0;
  size_t length = strlen(root);
  return strncmp(path, root, length) == 0 && (path[length] == '/' || path[length] == 0);
}

static uint32_t number_of(int fd) { return fd >= 0 && fd < FILES_MAX ? files[fd].number : 0; }

/* The caller holds the lock. One write, so that a kill leaves no half of a record but the last. */
static void note(uint32_t kind, uint32_t file, uint64_t offset, const struct iovec *data, int count) {
  if (log_fd < 0) return;
  struct iovec all[70];
  struct record record = {kind, file, offset, 0};
  int used = 1;
  for (int index = 0; index < count && used < 70; index++) {
    all[used++] = data[index];
    record.bytes += data[index].iov_len;
  }
  all[0].iov_base = &record;
  all[0].iov_len = sizeof record;
  ssize_t ignored = real_writev(log_fd, all, used);
  (void)ignored;
}

static void note_now(uint32_t kind, uint32_t file, uint64_t offset, const struct iovec *data, int count) {
  pthread_mutex_lock(&lock);
  note(kind, file, offset, data, count);
  pthread_mutex_unlock(&lock);
}

static void note_paths(uint32_t kind, const char *from, const char *to) {
  struct iovec data[3] = {{(void *)from, strlen(from)}, {(void *)"\n", 1}, {(void *)to, strlen(to)}};
  note_now(kind, 0, 0, data, 3);
}

static int opened(int fd, const char *path, int flags) {
  if (fd < 0 || fd >= FILES_MAX || !is_ours(path)) return fd;
  struct stat found;
  pthread_mutex_lock(&lock);
  files[fd].number = next_number++;
  files[fd].durable = (flags & (O_DSYNC | O_SYNC)) != 0;
  files[fd].appending = (flags & O_APPEND) != 0;
  files[fd].folder = fstat(fd, &found) == 0 && S_ISDIR(found.st_mode);
  snprintf(files[fd].path, sizeof files[fd].path, "%s", path);
  struct iovec name = {(void *)path, strlen(path)};
  note(OPENED, files[fd].number, files[fd].folder, &name, 1);
  pthread_mutex_unlock(&lock);
  return fd;
}

/* Whether this call is one of those that fail. */
static int fails(int kind) {
  if (!control || !(control->kinds & kind)) return 0;
  int64_t call = __atomic_add_fetch(&control->calls, 1, __ATOMIC_SEQ_CST);
  if (control->fail_from == 0 || call < control->fail_from || call >= control->fail_from + control->fail_count) return 0;
  __atomic_add_fetch(&control->failed, 1, __ATOMIC_SEQ_CST);
  return 1;
}

/* Whether the files would grow beyond the disk; overwriting what is there needs no room. */
static int is_full(int fd, uint64_t end) {
  if (!control || control->capacity == 0) return 0;
  struct stat found;
  if (fstat(fd, &found) != 0 || end <= (uint64_t)found.st_blocks * 512 || end <= (uint64_t)control->capacity) return 0;
  __atomic_add_fetch(&control->failed, 1, __ATOMIC_SEQ_CST);
  errno = (int)control->capacity_error;
  return 1;
}

static ssize_t put(int fd, const struct iovec *data, int count, off_t at) {
  return count == 1 ? real_pwrite(fd, data->iov_base, data->iov_len, at) : real_pwritev(fd, data, count, at);
}

/* One write at a known place: noted before it is done and after. */
static ssize_t write_at(int fd, const struct iovec *data, int count, off_t at) {
  uint32_t number = number_of(fd);
  uint64_t bytes = 0;
  for (int index = 0; index < count; index++) bytes += data[index].iov_len;
  if (is_full(fd, at + bytes)) return -1;
  if (fails(files[fd].durable ? 4 : 1)) {
    if (control->error != 0) {
      errno = (int)control->error;
      return -1;
    }
    return real_pwrite(fd, data->iov_base, (data->iov_len + 1) / 2, at);
  }
  note_now(WRITE_BEGUN, number, at, data, count);
  ssize_t done = put(fd, data, count, at);
  int error = errno;
  note_now(WRITE_DONE, number, files[fd].durable, NULL, 0);
  errno = error;
  return done;
}

static ssize_t write_here(int fd, const struct iovec *data, int count) {
  struct stat found;
  off_t at = files[fd].appending && fstat(fd, &found) == 0 ? found.st_size : lseek(fd, 0, SEEK_CUR);
  ssize_t done = write_at(fd, data, count, at);
  if (done > 0 && !files[fd].appending) lseek(fd, at + done, SEEK_SET);
  return done;
}

static int sync_with(int (*real)(int), int fd) {
  uint32_t number = number_of(fd);
  if (number == 0) return real(fd);
  if (fails(2)) {
    errno = (int)control->error;
    return -1;
  }
  note_now(SYNC_BEGUN, number, 0, NULL, 0);
  int result = real(fd);
  int error = errno;
  if (result == 0) note_now(SYNC_DONE, number, 0, NULL, 0);
  errno = error;
  return result;
}

#define MODE_OF(flags, mode)                       \
  mode_t mode = 0;                                 \
  if ((flags) & (O_CREAT | __O_TMPFILE)) {         \
    va_list rest;                                  \
    va_start(rest, flags);                         \
    mode = va_arg(rest, mode_t);                   \
    va_end(rest);                                  \
  }

int open(const char *path, int flags, ...) {
  MODE_OF(flags, mode)
  return opened(real_open(path, flags, mode), path, flags);
}
int open64(const char *path, int flags, ...) {
  MODE_OF(flags, mode)
  return opened(real_open(path, flags, mode), path, flags);
}
int openat(int folder, const char *path, int flags, ...) {
  MODE_OF(flags, mode)
  return opened(real_openat(folder, path, flags, mode), path, flags);
}
int openat64(int folder, const char *path, int flags, ...) {
  MODE_OF(flags, mode)
  return opened(real_openat(folder, path, flags, mode), path, flags);
}
int close(int fd) {
  if (number_of(fd)) files[fd].number = 0;
  return real_close(fd);
}
ssize_t write(int fd, const void *data, size_t bytes) {
  struct iovec one = {(void *)data, bytes};
  if (number_of(fd)) return write_here(fd, &one, 1);
  if (fd == 1) note_now(SAID, 0, 0, &one, 1);
  return real_write(fd, data, bytes);
}
ssize_t writev(int fd, const struct iovec *data, int count) {
  return number_of(fd) ? write_here(fd, data, count) : real_writev(fd, data, count);
}
ssize_t pwrite(int fd, const void *data, size_t bytes, off_t at) {
  struct iovec one = {(void *)data, bytes};
  return number_of(fd) ? write_at(fd, &one, 1, at) : real_pwrite(fd, data, bytes, at);
}
ssize_t pwrite64(int fd, const void *data, size_t bytes, off_t at) { return pwrite(fd, data, bytes, at); }
ssize_t pwritev(int fd, const struct iovec *data, int count, off_t at) {
  return number_of(fd) ? write_at(fd, data, count, at) : real_pwritev(fd, data, count, at);
}
ssize_t pwritev64(int fd, const struct iovec *data, int count, off_t at) { return pwritev(fd, data, count, at); }
int fsync(int fd) { return sync_with(real_fsync, fd); }
int fdatasync(int fd) { return sync_with(real_fdatasync, fd); }
int ftruncate(int fd, off_t bytes) {
  if (number_of(fd)) note_now(CUT_TO, number_of(fd), bytes, NULL, 0);
  return real_ftruncate(fd, bytes);
}
int ftruncate64(int fd, off_t bytes) { return ftruncate(fd, bytes); }
int link(const char *from, const char *to) {
  if (is_ours(to)) note_paths(LINKED, from, to);
  return real_link(from, to);
}
int rename(const char *from, const char *to) {
  if (is_ours(to)) note_paths(RENAMED, from, to);
  return real_rename(from, to);
}
int unlink(const char *path) {
  if (is_ours(path)) note_paths(REMOVED, path, "");
  return real_unlink(path);
}
int mkdir(const char *path, mode_t mode) {
  if (is_ours(path)) note_paths(FOLDER_MADE, path, "");
  return real_mkdir(path, mode);
}
