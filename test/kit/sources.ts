/** Finds out from outside whether a gateway has work: by its spool, and by the threads of its process. */
import fs from 'node:fs';
import path from 'node:path';
import { inspectUnfinished } from '../../src/engine/local/inspect.ts';
import { addSource } from '../emulators/base/activity.ts';

/** Counts what the spool in this home has left to do, until the returned function is called. */
export function watchSpool(home: string): () => void {
  const root = path.join(home, 'spool');
  const isOpen = ({ state }: { state: string }) => state !== 'dead' && state !== 'unsure';
  const sizeOf = (name: string) => fs.statSync(path.join(root, 'log', name), { throwIfNoEntry: false })?.size ?? 0;
  return addSource({
    open: () =>
      inspectUnfinished(root)
        .filter(isOpen)
        .map(({ state, key }) => `${state} ${key}`),
    count: () => fs.globSync('*', { cwd: path.join(root, 'log') }).reduce((sum, name) => sum + sizeOf(name), 0),
  });
}

/** What one thread does: `S` for one that waits, and how often it has begun to wait or was made to. */
function threadState(folder: string): { state: string; switches: number } {
  try {
    const [, state = ''] = /^State:\s+(\w)/m.exec(fs.readFileSync(path.join(folder, 'status'), 'utf8')) ?? [];
    const switches = fs.readFileSync(path.join(folder, 'status'), 'utf8').matchAll(/ctxt_switches:\s+(\d+)/g);
    return { state, switches: [...switches].reduce((sum, [, count]) => sum + Number(count), 0) };
  } catch (error) {
    // It has ended in between.
    if (error instanceof Error && 'code' in error) return { state: 'S', switches: 0 };
    throw error;
  }
}

/**
 * Counts a process as busy while one of its threads computes or waits for the disk, until the returned function is
 * called. Where the system has no such files (all but Linux) it never is.
 */
export function watchProcess(pid: number): () => void {
  const threads = () =>
    fs.globSync('*', { cwd: `/proc/${pid}/task` }).map((id) => threadState(`/proc/${pid}/task/${id}`));
  return addSource({
    open: () => (threads().every(({ state }) => /^[SIZX]?$/.test(state)) ? [] : [`process ${pid}`]),
    count: () => threads().reduce((sum, { switches }) => sum + switches, 0),
  });
}
