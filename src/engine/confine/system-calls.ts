/** Numbers of Linux system calls: on x86-64, and on arm64, where older ones do not exist (`-`). */
export type Architecture = 'x64' | 'arm64'

/** Calls that a decoder never needs, that reach outside its folders, or that use rarely tested parts of the kernel. */
const DENIED = [
  // Landlock covers neither sockets bound to a path nor rare socket families
  'socket 41 198, bind 49 200, listen 50 201, connect 42 203, accept 43 202, accept4 288 242',
  // child processes: threads are created by clone, which the filter inspects
  'fork 57 -, vfork 58 -',
  'ptrace 101 117, process_vm_readv 310 270, process_vm_writev 311 271, process_madvise 440 440, kcmp 312 272',
  'process_mrelease 448 448, pidfd_open 434 434, pidfd_getfd 438 438, pidfd_send_signal 424 424, tkill 200 130',
  'rt_sigqueueinfo 129 138, rt_tgsigqueueinfo 297 240, migrate_pages 256 238, move_pages 279 239',
  'mount 165 40, umount2 166 39, pivot_root 155 41, chroot 161 51, open_tree 428 428, open_tree_attr 467 467',
  'move_mount 429 429, fsopen 430 430, fsconfig 431 431, fsmount 432 432, fspick 433 433, mount_setattr 442 442',
  'unshare 272 97, setns 308 268',
  'io_uring_setup 425 425, io_uring_enter 426 426, io_uring_register 427 427, userfaultfd 323 282, bpf 321 280',
  'perf_event_open 298 241, keyctl 250 219, add_key 248 217, request_key 249 218, personality 135 92',
  'kexec_load 246 104, kexec_file_load 320 294, init_module 175 105, finit_module 313 273, delete_module 176 106',
  'reboot 169 142, swapon 167 224, swapoff 168 225, acct 163 89, quotactl 179 60, quotactl_fd 443 443',
  'syslog 103 116, settimeofday 164 170, clock_settime 227 112, adjtimex 159 171, clock_adjtime 305 266',
  'sethostname 170 161, setdomainname 171 162, iopl 172 -, ioperm 173 -, modify_ldt 154 -, vhangup 153 58',
  // Landlock does not cover these, except the last in newer kernels, and an input may be a stored file
  'chmod 90 -, fchmodat 268 53, fchmodat2 452 452, chown 92 -, fchown 93 55, lchown 94 -, fchownat 260 54',
  'setxattr 188 5, lsetxattr 189 6, fsetxattr 190 7, setxattrat 463 463, removexattr 197 14, lremovexattr 198 15',
  'fremovexattr 199 16, removexattrat 466 466, file_setattr 469 469, utime 132 -, utimes 235 -, futimesat 261 -',
  'utimensat 280 88, truncate 76 45',
  // no result is a link, so that the server can remove folders by their names
  'symlink 88 -, symlinkat 266 36, mknod 133 -, mknodat 259 33',
  // memory that the resident size does not count
  'memfd_create 319 279, memfd_secret 447 447, shmget 29 194, shmat 30 196, shmctl 31 195, semget 64 190',
  'semop 65 193, semctl 66 191, semtimedop 220 192, msgget 68 186, msgsnd 69 189, msgrcv 70 188, msgctl 71 187',
  'mq_open 240 180, mq_unlink 241 181',
  'inotify_init 253 -, inotify_init1 294 26, inotify_add_watch 254 27, fanotify_init 300 262, fanotify_mark 301 263',
  'name_to_handle_at 303 264, open_by_handle_at 304 265, lookup_dcookie 212 18',
]

/** Calls that the launcher makes, and calls whose arguments the filter checks. */
const NAMED = [
  'execve 59 221, prctl 157 167, openat 257 56, close_range 436 436, seccomp 317 277',
  'landlock_create_ruleset 444 444, landlock_add_rule 445 445, landlock_restrict_self 446 446',
  'open 2 -, openat2 437 437, fchmod 91 52, clone 56 220, clone3 435 435, socketpair 53 199, kill 62 129',
  'tgkill 234 131, getpriority 140 141, prlimit64 302 261, setpriority 141 140, ioprio_set 251 30, fcntl 72 25, ioctl 16 29',
  'sched_setaffinity 203 122, sched_setscheduler 144 119, sched_setparam 142 118, sched_setattr 314 274',
]

/** Higher numbers are calls newer than this list, or calls of the x32 interface. */
export const NEWEST = 469

/** Numbers by name, without calls that the architecture lacks. */
function numbersOf(table: readonly string[], architecture: Architecture): Map<string, number> {
  const rows = table.flatMap((line) => line.split(', ').map((call) => call.split(' ') as [string, string, string]))
  const known = rows.map(([name, x64, arm64]): [string, number] => [name, Number(architecture === 'x64' ? x64 : arm64)])
  return new Map(known.filter(([, number]) => !Number.isNaN(number)))
}

export const deniedOn = (architecture: Architecture): Map<string, number> => numbersOf(DENIED, architecture)
export const namedOn = (architecture: Architecture): Map<string, number> => numbersOf(NAMED, architecture)
