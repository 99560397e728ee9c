/** The limits of one script or command, which the kernel holds for each of its processes. */

/** The `ulimit -d` of each process. */
export const MEMORY_MB = 2048;

/** Sets each limit that the shell supports; the last one by bash's or dash's option. */
const LIMITS = [
  'ulimit -c 0; ulimit -t "$1"; ulimit -n "$3"; ulimit -f 2097152; ulimit -d "$4"; ulimit -m "$5"',
  '(ulimit -u "$2") 2>/dev/null && ulimit -u "$2" || ulimit -p "$2"',
].join('; ');
/** Shell code that sets the limits in its first five arguments and becomes the rest. */
export const WRAPPER = `{ ${LIMITS}; } 2>/dev/null; shift 5; exec "$@"`;
/** The same, with both streams as one, in the order in which they are written. */
export const MERGED = `${WRAPPER} 2>&1`;

/** Most processes: inside the sandbox, its own alone; outside, all of this user's. */
const PROCESSES = { inside: 512, outside: 4096 };
/** Most processes of a command, most open files, and kilobytes of one process's memory. */
const OF_COMMANDS = { processes: 1024, files: 8192, kilobytes: 4 * 1024 * 1024 };
const OF_SCRIPTS = { processes: PROCESSES.inside, files: 1024, kilobytes: 2 * 1024 * 1024 };

/**
 * The share of the processes at which all are ended: what reached the kernel's limit can't go on anyway, and the kernel
 * may have none for root.
 */
export const CROWD = 0.75;

export const maxProcesses = (isCommand: boolean, isInside: boolean): number =>
  isInside ? (isCommand ? OF_COMMANDS : OF_SCRIPTS).processes : PROCESSES.outside;

/**
 * Returns the wrapper's arguments.
 * @param markKb marks its processes, and limits nothing
 */
export function limitsOf(isCommand: boolean, isInside: boolean, timeoutMs: number, markKb: number): string[] {
  const { files, kilobytes } = isCommand ? OF_COMMANDS : OF_SCRIPTS;
  const limits = [Math.ceil(timeoutMs / 1000) + 5, maxProcesses(isCommand, isInside), files, kilobytes, markKb];
  return limits.map(String);
}
