/**
 * The kernel calls that a sandbox refuses, as a program for seccomp: those that reach past its namespaces (sockets of
 * the machine's hypervisor, keyrings, typing into a terminal, io_uring, which calls without being filtered), and those
 * that leave files behind which run with the rights of the gateway's user. fallocate is refused too, since it fills a
 * disk at once; programs write instead.
 */
import { Buffer } from 'node:buffer';

interface Rule {
  /** Numbers on x86-64 and on ARM64; undefined where there is no such call. */
  calls: readonly [number | undefined, number | undefined];
  errno: number;
  /** Refused only with one of these bits in this argument; absent: always. */
  bits?: { arg: number; mask: number };
  /** If present: also only with one of these bits in another argument. */
  when?: { arg: number; mask: number };
  /** Refused only with these values, or with all but these. */
  values?: { arg: number; are: 'refused' | 'allowed'; of: readonly number[] };
}

const [EPERM, EAFNOSUPPORT, ENOSYS, EOPNOTSUPP] = [1, 97, 38, 95];
/** Set-user-ID and set-group-ID. */
const SET_ID = 0o6000;
/** O_CREAT and the bit of O_TMPFILE: only then is there a mode. */
const CREATES = 0x400040;
/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK. */
const FAMILIES = [1, 2, 10, 16];
/** TIOCSTI and TIOCLINUX. */
const TYPING = [0x5412, 0x541c];

const RULES: readonly Rule[] = [
  // socket
  { calls: [41, 198], errno: EAFNOSUPPORT, values: { arg: 0, are: 'allowed', of: FAMILIES } },
  // ioctl
  { calls: [16, 29], errno: EPERM, values: { arg: 1, are: 'refused', of: TYPING } },
  // chmod, fchmod, fchmodat, fchmodat2
  { calls: [90, undefined], errno: EPERM, bits: { arg: 1, mask: SET_ID } },
  { calls: [91, 52], errno: EPERM, bits: { arg: 1, mask: SET_ID } },
  { calls: [268, 53], errno: EPERM, bits: { arg: 2, mask: SET_ID } },
  { calls: [452, 452], errno: EPERM, bits: { arg: 2, mask: SET_ID } },
  // creat, mknod, mknodat
  { calls: [85, undefined], errno: EPERM, bits: { arg: 1, mask: SET_ID } },
  { calls: [133, undefined], errno: EPERM, bits: { arg: 1, mask: SET_ID } },
  { calls: [259, 33], errno: EPERM, bits: { arg: 2, mask: SET_ID } },
  // open, openat; openat2 has its mode in memory
  { calls: [2, undefined], errno: EPERM, bits: { arg: 2, mask: SET_ID }, when: { arg: 1, mask: CREATES } },
  { calls: [257, 56], errno: EPERM, bits: { arg: 3, mask: SET_ID }, when: { arg: 2, mask: CREATES } },
  { calls: [437, 437], errno: ENOSYS },
  // fallocate
  { calls: [285, 47], errno: EOPNOTSUPP },
  // add_key, request_key, keyctl
  { calls: [248, 217], errno: ENOSYS },
  { calls: [249, 218], errno: ENOSYS },
  { calls: [250, 219], errno: ENOSYS },
  // io_uring_setup, io_uring_enter, io_uring_register
  { calls: [425, 425], errno: ENOSYS },
  { calls: [426, 426], errno: ENOSYS },
  { calls: [427, 427], errno: ENOSYS },
  // perf_event_open, bpf, userfaultfd
  { calls: [298, 241], errno: ENOSYS },
  { calls: [321, 280], errno: ENOSYS },
  { calls: [323, 282], errno: ENOSYS },
];

const ARCHITECTURES: Readonly<Record<string, { audit: number; column: 0 | 1 }>> = {
  x64: { audit: 0xc000003e, column: 0 },
  arm64: { audit: 0xc00000b7, column: 1 },
};
/** The second set of calls on x86-64. */
const X32 = 0x40000000;

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

const loadAt = (offset: number): Instruction => [0x20, 0, 0, offset];
const equals = (value: number, ifTrue: number, ifFalse: number): Instruction => [0x15, ifTrue, ifFalse, value];
const isLeast = (value: number, ifTrue: number, ifFalse: number): Instruction => [0x35, ifTrue, ifFalse, value];
const hasBit = (mask: number, ifTrue: number, ifFalse: number): Instruction => [0x45, ifTrue, ifFalse, mask];
const ALLOW: Instruction = [0x06, 0, 0, 0x7fff0000];
const refuseWith = (errno: number): Instruction => [0x06, 0, 0, 0x00050000 + errno];
const ARCHITECTURE = loadAt(4);
const CALL = loadAt(0);
/** The lower half, which is all that the kernel reads of these. */
const loadArgument = (index: number): Instruction => loadAt(16 + 8 * index);

/** Returns the program; undefined on a machine whose calls have other numbers. */
export function syscallFilter(machine: string = process.arch): Buffer | undefined {
  const architecture = ARCHITECTURES[machine];
  if (!architecture) return undefined;
  const { audit, column } = architecture;
  const program: Instruction[] = [ARCHITECTURE, equals(audit, 1, 0), refuseWith(ENOSYS), CALL];
  if (machine === 'x64') program.push(isLeast(X32, 0, 1), refuseWith(ENOSYS));
  for (const rule of RULES) {
    const number = rule.calls[column];
    if (number === undefined) continue;
    const body = filterCall(rule);
    program.push(equals(number, 0, body.length), ...body);
  }
  program.push(ALLOW);
  const bytes = Buffer.alloc(program.length * 8);
  for (const [at, [code, ifTrue, ifFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, at * 8);
    bytes.writeUInt8(ifTrue, at * 8 + 2);
    bytes.writeUInt8(ifFalse, at * 8 + 3);
    bytes.writeUInt32LE(value, at * 8 + 4);
  }
  return bytes;
}

/** Returns the instructions for one call, which end with a verdict. */
function filterCall({ errno, bits, when, values }: Rule): Instruction[] {
  const no = refuseWith(errno);
  if (values) {
    const [found, others] = values.are === 'allowed' ? [ALLOW, no] : [no, ALLOW];
    const tests = values.of.map((value, at) => equals(value, values.of.length - at, 0));
    return [loadArgument(values.arg), ...tests, others, found];
  }
  if (!bits) return [no];
  const test = [loadArgument(bits.arg), hasBit(bits.mask, 0, 1), no, ALLOW];
  return when ? [loadArgument(when.arg), hasBit(when.mask, 0, 3), ...test] : test;
}
