// Linux interfaces that Swift's Glibc module doesn't export.
#pragma once
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/if.h>

/// An argument of this program, with its own name at 0; NULL beyond the last one. Swift's `CommandLine` reads /proc,
/// and is empty where /proc isn't mounted.
const char *clinux_argument(int index);

/// Returns free heap memory to the system; true if there was any.
int clinux_trim_heap(void);

/// Drops the code and constants of the program and its libraries from this process's memory. The kernel maps them again
/// from the page cache, page by page, when they are needed. Nothing is lost, since these pages are read-only.
void clinux_drop_code_pages(void);

/// Limits all threads to two heaps, which keep little of what is freed, and nothing of large blocks. Call it before any
/// thread starts.
void clinux_limit_heaps(void);

/// Names the calling thread for debuggers and top; only the first 15 bytes are kept.
void clinux_name_thread(const char *name);

/// Schedules the calling thread as SCHED_RR with `priority` (1 to 99), or as SCHED_OTHER with 0. Threads that it starts
/// are always ordinary. Returns 0, or -1 with errno.
int clinux_schedule_thread(int priority);

/// Attaches a filter to a UDP socket: the kernel drops every datagram that doesn't begin with these four bytes, without
/// waking the process. Returns 0, or -1 with errno.
int clinux_keep_datagrams_with_prefix(int socket, const char prefix[4]);

/// The path of the library or program that contains `symbol`; NULL when there is none.
const char *clinux_library_path(const void *symbol);

/// Makes a pipe that child processes don't inherit: the non-blocking read end, then the write end. Returns 0, or -1
/// with errno.
int clinux_pipe(int ends[2]);

/// Starts `arguments[0]`, an absolute path, with `arguments` and `environment` (both end with NULL). The child has its
/// own process group, default signals and /dev/null as standard input; standard output and standard error go to
/// `output`, and no other descriptor is inherited. Returns the process id, or -errno.
int clinux_spawn(char *const arguments[], char *const environment[], int output);

/// A descriptor that becomes readable when the child `process` exits; -1 with errno.
int clinux_process_descriptor(int process);

/// Waits until the child `process` exits, without reaping it, so its process id stays in use. Returns 0, or -1 with
/// errno.
int clinux_await_process(int process);

/// Reaps `process`, which has exited. Returns its exit code, or minus the signal number if a signal ended it.
int clinux_reap(int process);
