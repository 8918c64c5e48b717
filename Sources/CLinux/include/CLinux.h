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

/// Opens a UDP socket for IPv4, bound to `address` and `port` (host byte order; 0: any). With `shared`, other programs of
/// this host may have the same port. Datagrams that it receives are stamped by the kernel. Returns -1 with errno.
int clinux_open_datagrams(unsigned address, unsigned short port, int shared);

/// Joins the multicast `group` on the interface with `address` (both in host byte order), and sends to groups from
/// there, over at most `hops` - 1 routers. Returns 0, or -1 with errno.
int clinux_join_group(int socket, unsigned group, unsigned address, int hops);

/// Sends to multicast groups from the interface with `address` (host byte order), over at most `hops` - 1 routers.
/// Returns 0, or -1 with errno.
int clinux_send_groups_from(int socket, unsigned address, int hops);

/// From now on the socket sends to this address alone, and hears nothing else; a refusal of the host there is told as an
/// error of the next call. Returns 0, or -1 with errno.
int clinux_connect_datagrams(int socket, unsigned address, unsigned short port);

/// Sends a datagram without waiting. Returns the bytes sent, or -1 with errno.
long clinux_send_datagram(int socket, const void *bytes, unsigned long count, unsigned address, unsigned short port);

/// Sends a datagram to a group by the interface that has the address `source`, whatever the routes say; -1 and errno if the
/// system refuses.
long clinux_send_group(int socket, const void *bytes, unsigned long count, unsigned address, unsigned short port,
                       unsigned source);

/// Sends a datagram to `receivers` (at most 64) without waiting; whom it can't be sent to at once doesn't get it. Returns
/// how many got it.
int clinux_send_to_all(int socket, const void *bytes, unsigned long count, const unsigned *addresses,
                       const unsigned short *ports, int receivers);

/// Waits until one of `count` descriptors can be read, or for `nanoseconds` (negative: without limit). Bit n of the
/// result: descriptor n can be read, or has an error.
unsigned clinux_wait_readable(const int *descriptors, int count, long long nanoseconds);

/// Receives a datagram without waiting: its length (0 for one that was cut off), or -1 with errno.
///
/// `arrival` is when the kernel received it, in nanoseconds of CLOCK_MONOTONIC. The kernel's stamps are of the system
/// clock, which may be set; a stamp that can't be right is replaced by the time of the call.
long clinux_receive_datagram(int socket, void *bytes, unsigned long room, unsigned *address, unsigned short *port,
                             long long *arrival);

/// Whether the kernel, or systemd's time service, says that the clock is set since the machine was started. 0 if neither
/// says so, which is for good where nothing keeps the clock in step, and in many containers.
int clinux_clock_is_set(void);
