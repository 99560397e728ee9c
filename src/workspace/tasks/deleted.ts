/**
 * Tasks that a person has deleted: `spool/deleted/{taskId}/`, with the task's folder, its sessions, and a note of who
 * deleted it when. Lists, search and chats don't know it any more; until its window ends it can be put back. Each step
 * is a rename, and the note says which way they go, so that whatever was interrupted is finished later.
 */
import fs from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { namesIn } from '../../lib/damage.ts';
import { ensureDir, syncFolder, writeFileAtomic } from '../../lib/files.ts';
import { readJson } from '../../lib/json.ts';
import { isText, listOf, objectOf, oneOf, optional, shape } from '../../lib/shape.ts';
import { type Home, isId } from '../home.ts';

export interface DeletedTask {
  id: string;
  title: string;
  people: string[];
  /** Principal as text. */
  by: string;
  /** ISO 8601. */
  at: string;
  /** Where its files are going; `out` also once they are there. */
  way: 'out' | 'back';
  /** The conversations that were about it, and the tasks that they got instead. */
  places: { key: string; instead: string }[];
}

const deletedShape = shape<DeletedTask>(
  objectOf({
    id: isText,
    title: isText,
    people: listOf(isText),
    by: isText,
    at: isText,
    way: oneOf('out', 'back'),
    places: listOf(objectOf({ key: isText, instead: isText })),
    viber: optional(isText),
  }),
);
const ABOUT = { lost: 'that a task was deleted', next: 'It stays where it is, and can be removed by hand.' };

const deletedFolder = (home: Home): string => path.join(home.spool, 'deleted');
const boxOf = (home: Home, id: string): string => path.join(deletedFolder(home), id);

export const hasDeleted = (home: Home): boolean => fs.existsSync(deletedFolder(home));

export const deletedTasks = (home: Home): DeletedTask[] =>
  namesIn(deletedFolder(home))
    .filter(isId)
    .flatMap((id) => deletedTask(home, id) ?? []);

export function deletedTask(home: Home, id: string): DeletedTask | undefined {
  const note = readJson(path.join(boxOf(home, id), 'deleted.json'), deletedShape, ABOUT);
  return note?.id === id ? note : undefined;
}

/** From here on the deletion is finished, whatever happens. */
export const recordDeletion = (home: Home, note: DeletedTask): Promise<void> =>
  writeNote(home, { ...note, way: 'out' });

/** Moves the files of a noted deletion. Durable when it resolves; may be repeated after an interruption. */
export async function moveToDeleted(home: Home, note: DeletedTask): Promise<void> {
  for (const [from, to] of movesOfTask(home, note.id)) {
    // What a run wrote after it was told to stop isn't the task: that was moved before.
    if (fs.existsSync(from) && fs.existsSync(to)) await rm(from, { recursive: true, force: true });
    await moveIfThere(from, to);
  }
  await syncFolder(boxOf(home, note.id));
  await syncFolder(home.artifacts);
}

/** Moves them back; the note is deleted last. */
export async function moveFromDeleted(home: Home, note: DeletedTask): Promise<void> {
  await writeNote(home, { ...note, way: 'back' });
  for (const [to, from] of movesOfTask(home, note.id).reverse()) {
    if (fs.existsSync(from)) await rm(to, { recursive: true, force: true });
    await moveIfThere(from, to);
  }
  await syncFolder(home.artifacts);
  await forgetDeleted(home, note.id);
}

/** Removes the files for good. */
export async function forgetDeleted(home: Home, id: string): Promise<void> {
  const box = boxOf(home, id);
  for (const name of namesIn(box).filter((each) => each !== 'deleted.json'))
    await rm(path.join(box, name), { recursive: true, force: true });
  await rm(box, { recursive: true, force: true });
}

async function writeNote(home: Home, note: DeletedTask): Promise<void> {
  await ensureDir(boxOf(home, note.id));
  await writeFileAtomic(path.join(boxOf(home, note.id), 'deleted.json'), `${JSON.stringify(note, null, 2)}\n`);
}

/** Returns the moves as pairs of paths: sessions first, since a record can be rebuilt from them. */
function movesOfTask(home: Home, id: string): [string, string][] {
  const box = boxOf(home, id);
  const vibers = [...new Set([...namesIn(home.agents), ...namesIn(path.join(box, 'sessions'))])];
  return [
    ...vibers.flatMap((viber) =>
      [id, `${id}.jsonl`].map((name): [string, string] => [
        path.join(home.agents, viber, 'sessions', name),
        path.join(box, 'sessions', viber, name),
      ]),
    ),
    [home.taskDir(id), path.join(box, 'task')],
  ];
}

async function moveIfThere(from: string, to: string): Promise<void> {
  if (!fs.existsSync(from)) return;
  await ensureDir(path.dirname(to));
  await rename(from, to);
}
