// Linux interfaces that Swift's Glibc module doesn't show.
#pragma once
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/if.h>

/// An argument of this program, 0 is its own name; NULL behind the last one. Swift's `CommandLine` reads /proc, and has
/// none where that isn't mounted.
const char *clinux_argument(int index);

/// Gives memory that the allocator keeps for later back to the system; true when there was some.
int clinux_trim_heap(void);

/// Takes the code and constants of the program and its libraries out of this process's memory: they are mapped again from
/// the page cache, piece by piece, when they are needed. Nothing is lost, since nobody can write there.
void clinux_unmap_code(void);

/// Has all threads share two heaps, which keep little of what was freed, and nothing of large blocks; to be called before
/// there are any threads.
void clinux_bound_heaps(void);

/// Names the calling thread as debuggers and top show it; all but the first 15 bytes are cut off.
void clinux_name_thread(const char *name);

/// Schedules the calling thread as SCHED_RR with `priority` (1 to 99), or as SCHED_OTHER with 0; threads that it starts
/// are ordinary in any case. 0, or -1 with errno.
int clinux_schedule_thread(int priority);

/// Lets only datagrams that begin with these four bytes through to a UDP socket; the kernel drops the rest before
/// anybody is woken up. 0, or -1 with errno.
int clinux_keep_datagrams_with_prefix(int socket, const char prefix[4]);

/// Path of the library or program that `symbol` lies in; NULL when it is in none.
const char *clinux_library_path(const void *symbol);

/// A pipe that programs don't inherit by accident: reading end, which doesn't wait, and writing end. 0, or -1 with
/// errno.
int clinux_pipe(int ends[2]);

/// Starts `arguments[0]`, an absolute path, with `arguments` and `environment` (both end with NULL), in a process group
/// of its own, with default signals, nothing to read, and `output` for what it writes; it inherits no other
/// descriptor. The process's id, or -errno.
int clinux_spawn(char *const arguments[], char *const environment[], int output);

/// A descriptor that becomes readable when `process`, a child of ours, has ended; -1 with errno.
int clinux_process_descriptor(int process);

/// Waits until `process`, a child of ours, has ended, without forgetting it: its id stays taken. 0, or -1 with errno.
int clinux_await_process(int process);

/// Forgets `process`, which has ended: its exit code, or minus the number of the signal that ended it.
int clinux_reap(int process);
