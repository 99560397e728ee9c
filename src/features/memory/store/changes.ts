/** Removes lines from MEMORY.md and undoes changes, but only if the file still contains what it contained then. */

import { foldHeading } from '../../../lib/markdown-lines.ts';
import type { Home } from '../../../workspace/home.ts';
import { type Bullet, bulletsOf, putBack, withoutBullet } from './bullets.ts';
import { editShared, lockMemory } from './edit.ts';
import { memoryFile } from './memory.ts';
import { type AdditionRecord, appendRecord, FORGET, newId, type RemovalRecord, readRecords } from './record.ts';
import { type Reversal, reversalOf, reversed } from './reversal.ts';
import { findSection, insertLines } from './sections.ts';

export interface Actor {
  by: string;
  name: string;
}

/**
 * Removes one bullet and everything indented under it. Returns it with the ID of the change, or undefined if it is gone
 * or has changed.
 */
export async function forgetBullet(
  home: Home,
  viber: string,
  id: string,
  actor: Actor,
): Promise<{ bullet: Bullet; change: string } | undefined> {
  return lockMemory(home, viber, async () => {
    let gone: Bullet | undefined;
    let back: Reversal | undefined;
    await editShared(memoryFile(home, viber), (current = '') => {
      gone = bulletsOf(current).find((bullet) => bullet.id === id);
      const next = gone && withoutBullet(current, gone);
      if (next !== undefined) back = reversalOf(current, next);
      return next;
    });
    if (!gone) return undefined;
    const { section, after } = gone;
    const at = new Date().toISOString();
    const change = newId();
    await appendRecord(home, viber, {
      op: FORGET,
      id: change,
      at,
      section,
      lines: [gone.lines],
      after,
      back,
      ...actor,
    });
    return { bullet: gone, change };
  });
}

export type Undo =
  | { done: 'removed' | 'restored'; lines: string[] }
  /**
   * `changed`: the lines aren't as the change left them; `there`: the forgotten lines are already back; `newer`: the
   * given change was undone already, or a later one followed.
   */
  | { done: 'nothing' | 'changed' | 'there' | 'newer'; lines: string[] };

/** Undoes the gateway's last addition or removal that wasn't undone yet; with `change`, only that one. */
export async function undoLast(home: Home, viber: string, actor: Actor, change?: string): Promise<Undo> {
  return lockMemory(home, viber, async () => {
    const records = readRecords(home, viber);
    const undone = new Set(records.flatMap((record) => (record.op === 'undo' ? [record.of] : [])));
    const last = records.findLast((record): record is (AdditionRecord & { id: string }) | RemovalRecord =>
      record.op === FORGET || (record.op === 'add' && record.id !== undefined) ? !undone.has(record.id ?? '') : false,
    );
    if (change !== undefined && last?.id !== change) return { done: 'newer', lines: [] };
    if (!last) return { done: 'nothing', lines: [] };
    const undo = last.op === FORGET ? await restore(home, viber, last) : await removeLines(home, viber, last);
    // If the file is already as it was before, this counts as undone, so that the next undo applies to the change
    // before.
    if (undo.done !== 'changed' || last.op !== FORGET)
      await appendRecord(home, viber, { op: 'undo', id: newId(), of: last.id, at: new Date().toISOString(), ...actor });
    return undo;
  });
}

async function removeLines(home: Home, viber: string, { section, lines = [], back }: AdditionRecord): Promise<Undo> {
  let isThere = false;
  await editShared(memoryFile(home, viber), (current = '') => {
    const before = reversed(current, back);
    isThere = before !== undefined;
    if (before !== undefined) return before;
    let text = current;
    for (const line of lines.toReversed()) {
      const bullet = bulletsOf(text).findLast((each) => each.lines === line && sameSection(each.section, section));
      isThere = bullet !== undefined;
      if (!bullet) return undefined;
      text = withoutBullet(text, bullet);
    }
    return text;
  });
  return { done: isThere ? 'removed' : 'changed', lines };
}

async function restore(home: Home, viber: string, { section, lines, after, back }: RemovalRecord): Promise<Undo> {
  const [text = ''] = lines;
  let done: Undo['done'] = 'restored';
  await editShared(memoryFile(home, viber), (current = '') => {
    done = 'restored';
    const before = reversed(current, back);
    if (before !== undefined) return before;
    done = 'there';
    if (bulletsOf(current).some((each) => each.lines === text && each.section === section)) return undefined;
    done = 'restored';
    const placed = putBack(current, text, section, after);
    if (placed !== undefined) return placed;
    // The place is gone: use the end of the section, if the section still exists.
    const isThere = findSection(current, section) !== undefined;
    done = isThere ? 'restored' : 'changed';
    return isThere ? insertLines(current, section, [text]) : undefined;
  });
  return { done, lines };
}

const sameSection = (a: string, b: string): boolean => foldHeading(a) === foldHeading(b);
