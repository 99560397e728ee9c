/**
 * Writes deploy/seccomp.json, the system calls of the gateway's container, from Docker's default profile:
 * `node test/seccomp.ts default.json` (the file of github.com/moby/profiles, seccomp/default.json).
 *
 * The rule: what Docker allows a container without capabilities on x86-64 and ARM64, less what debugging needs, and the calls
 * with which bubblewrap builds a sandbox.
 */
import fs from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

const argument = z.object({
  index: z.number(),
  value: z.number(),
  valueTwo: z.number().optional(),
  op: z.string(),
});
const condition = z.object({
  arches: z.array(z.string()).optional(),
  caps: z.array(z.string()).optional(),
  minKernel: z.string().optional(),
});
const rule = z.object({
  names: z.array(z.string()),
  action: z.string(),
  errnoRet: z.number().optional(),
  args: z.array(argument).nullish(),
  includes: condition.optional(),
  excludes: condition.optional(),
});
export const dockerProfile = z.object({
  defaultAction: z.literal('SCMP_ACT_ERRNO'),
  defaultErrnoRet: z.literal(1),
  syscalls: z.array(rule),
});
export type DockerProfile = z.infer<typeof dockerProfile>;
type Rule = z.infer<typeof rule>;

export interface Profile {
  defaultAction: string;
  defaultErrnoRet: number;
  architectures: string[];
  syscalls: {
    comment?: string;
    names: string[];
    action: string;
    errnoRet?: number;
    args?: z.infer<typeof argument>[];
  }[];
}

const MACHINES = ['amd64', 'arm64'];
/** Namespaces, what is mounted in them, and the name of the machine. */
export const SANDBOX = ['clone', 'mount', 'pivot_root', 'sethostname', 'setns', 'umount2', 'unshare'];
/** Nothing in the container debugs others, or runs code of 16 bits. */
export const UNNEEDED = ['modify_ldt', 'process_vm_readv', 'process_vm_writev', 'ptrace'];

export function profileFrom({ defaultAction, defaultErrnoRet, syscalls }: DockerProfile): Profile {
  const rules = syscalls.filter(applies).map(({ names, action, errnoRet, args }) => ({
    names: names.filter((name) => !SANDBOX.includes(name) && !UNNEEDED.includes(name)),
    action,
    ...(errnoRet !== undefined && { errnoRet }),
    ...(args && args.length > 0 && { args }),
  }));
  const isPlain = (each: (typeof rules)[number]) => each.action === 'SCMP_ACT_ALLOW' && !('args' in each);
  const plain = rules.filter(isPlain).flatMap(({ names }) => names);
  return {
    defaultAction,
    defaultErrnoRet,
    architectures: ['SCMP_ARCH_X86_64', 'SCMP_ARCH_AARCH64'],
    syscalls: [
      { comment: 'What Docker allows too', names: [...new Set(plain)].sort(), action: 'SCMP_ACT_ALLOW' },
      ...rules.filter((each) => !isPlain(each) && each.names.length > 0),
      { comment: 'The sandbox of scripts: bubblewrap', names: SANDBOX, action: 'SCMP_ACT_ALLOW' },
    ],
  };
}

/** Returns whether Docker uses a rule for a container without capabilities on one of our machines. */
function applies({ includes = {}, excludes = {} }: Rule): boolean {
  const isHere = (arches: string[]) => MACHINES.some((machine) => arches.includes(machine));
  if ((includes.caps ?? []).length > 0) return false;
  if (includes.arches && !isHere(includes.arches)) return false;
  return !(excludes.arches && isHere(excludes.arches));
}

if (import.meta.main) {
  const docker = dockerProfile.parse(JSON.parse(fs.readFileSync(process.argv[2] ?? '', 'utf8')));
  const file = path.join(import.meta.dirname, '../deploy/seccomp.json');
  fs.writeFileSync(file, `${JSON.stringify(profileFrom(docker), undefined, 2)}\n`);
}
