/**
 * A network of their own that several sandboxes share, so that one reaches what another serves. A small sandbox holds
 * it, and the others are started in it. It has no way out but a proxy, if there is one.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readlinkSync } from 'node:fs';
import { killGroup } from '../lib/process-group.ts';
import { within } from '../lib/within.ts';
import { firstInside } from './begin.ts';
import { createPrivateFolder, removeRunFolder } from './run-folder.ts';
import { findSandbox, findTrusted, isSystemFile, type Sandbox, searchPath } from './sandbox.ts';
import { openScriptProxy, type Reach, type ScriptProxy, withProxy } from './script-proxy.ts';

export interface SharedNetwork {
  /** The words before a sandbox's command that start it there. */
  readonly enter: readonly string[];
  readonly hasProxy: boolean;
  /** Ends it for all that are in it. */
  close(): Promise<void>;
}

/** Against hanging alone: what is found out in that time holds until the gateway ends, and a machine may be busy. */
const START_MS = 60_000;
/** Says that it is there, and ends with its input, which ends with this gateway. */
const WAIT = ['/bin/sh', '-c', 'echo ready; exec cat >/dev/null'];

let nsenter: Promise<string | undefined> | undefined;
let works: Promise<boolean> | undefined;

/**
 * Opens one.
 * @param reach what its proxy lets through; absent: no way out
 * @returns undefined where sandboxes can't share a network
 */
export async function openSharedNetwork(reach?: Reach): Promise<SharedNetwork | undefined> {
  nsenter ??= findTrusted('nsenter', searchPath(true));
  const [sandbox, program] = await Promise.all([findSandbox(), nsenter]);
  if (!sandbox || !program || (await works) === false) return undefined;
  const closing: (() => unknown)[] = [];
  const close = async () => {
    for (const each of closing.splice(0).reverse()) await each();
  };
  try {
    const enter = await hold(sandbox, program, reach, closing);
    works ??= enter ? sandbox.worksIn(enter) : Promise.resolve(false);
    if (enter && (await works)) return { enter, hasProxy: reach !== undefined, close };
  } catch (error) {
    await close();
    throw error;
  }
  await close();
  return undefined;
}

/** @param closing gets what must be done at its end, last first */
async function hold(
  sandbox: Sandbox,
  program: string,
  reach: Reach | undefined,
  closing: (() => unknown)[],
): Promise<string[] | undefined> {
  let proxy: ScriptProxy | undefined;
  if (reach) {
    const folder = await createPrivateFolder();
    closing.push(() => removeRunFolder(folder));
    proxy = await openScriptProxy(folder, reach);
    closing.push(proxy.close);
  }
  const node = process.execPath;
  const files = proxy ? [proxy.socket, ...(isSystemFile(node) ? [] : [node])] : [];
  const command = proxy ? withProxy(node, proxy.socket, WAIT) : WAIT;
  const child = spawn(sandbox.command, [...sandbox.host(files), ...command], {
    detached: true,
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['pipe', 'pipe', 'ignore', 'pipe'],
  });
  closing.push(() => killGroup(child, 'SIGKILL'));
  const pid = await within(started(child), START_MS);
  if (pid === undefined) return undefined;
  // Held open: whatever becomes of the process, these are its namespaces and no other's.
  const held = ['user', 'net'].map((kind) => {
    const fd = openSync(`/proc/${pid}/ns/${kind}`, 'r');
    closing.push(() => closeSync(fd));
    // Entering our own would be a way out.
    if (readlinkSync(`/proc/self/fd/${fd}`) === readlinkSync(`/proc/self/ns/${kind}`)) return undefined;
    return `--${kind}=/proc/${process.pid}/fd/${fd}`;
  });
  const words = held.filter((word) => word !== undefined);
  return words.length < held.length ? undefined : [program, '--preserve-credentials', ...words, '--'];
}

/** Returns its first process once it is ready; undefined if it ends before. */
async function started(child: ChildProcess): Promise<number | undefined> {
  const { stdin, stdout } = child;
  if (!stdout) throw new Error('a process without output');
  stdin?.on('error', () => undefined);
  const { known } = firstInside(child);
  const ended = new Promise<undefined>((resolve) => {
    for (const event of ['error', 'exit']) child.once(event, () => resolve(undefined));
  });
  // The two arrive on pipes of their own, in any order.
  const ready = Promise.all([known, once(stdout, 'data')]).then(([pid]) => pid);
  return Promise.race([ready, ended]);
}
