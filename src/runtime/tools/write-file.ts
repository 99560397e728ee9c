/** `write_file`: writes text into the workspace, or as an artifact of the task if the path doesn't name a place. */
import path from 'node:path';
import { z } from 'zod';
import { UserError } from '../../errors.ts';
import { PathRefused, putFile, useFile } from '../../lib/files/below.ts';
import { ensureDir, sha256File } from '../../lib/files.ts';
import { type ArtifactMeta, openTask, takeRoom, takeRoomAt, withoutNumber } from '../../workspace/tasks/index.ts';
import { defineTool } from '../contract/tool.ts';
import type { ToolScope } from '../contract/tool-scope.ts';
import { artifactBytes, attached, MAKES_FILES } from './artifacts.ts';
import { toEverybody } from './offered.ts';
import { artifactNamed, inPlace, placeIn, refuseLinks, refuseProtected, splitArea } from './paths.ts';
import type { CoreRun } from './run.ts';

const input = z.object({ path: z.string(), content: z.string() });

export const writeFile = defineTool({
  name: 'write_file',
  describe:
    'Write a text file: workspace/... keeps it there; a bare name makes or replaces an artifact, attached to your answer.',
  input,
  effect: 'idempotent',
  doing: 'doing.writing',
  like: 'write',
  about: { argument: 'path', doing: 'doing.writingThis' },
  ability: MAKES_FILES,
  offered: toEverybody,
  ownWords: true,
  // A task's artifacts are its own; all tasks share the workspace.
  isOutside: ({ path: given }, { scope }: CoreRun) => splitArea(scope, given).area === 'workspace',
  kindOf: ({ path: given }, { scope }) =>
    splitArea(scope, given).area === 'workspace' ? 'workspace files' : 'artifacts',
  shows: ({ path: given }, { scope }) => targetStamp(scope, given),
  asks({ path: given }, { scope }, { messages, plain }) {
    const { area, rest } = splitArea(scope, given);
    const key = area === 'workspace' ? 'consent.saveFile' : 'consent.saveArtifact';
    return { text: messages.text(key, { file: plain(rest) }), yes: messages.text('consent.save') };
  },
  async execute({ path: given, content }, { scope }, { signal }) {
    const bytes = artifactBytes(content, 'utf8');
    const { area = 'task', rest } = splitArea(scope, given);
    if (rest === '') throw new UserError('The path names no file.');
    const place = placeIn(scope, area, rest);
    await ensureDir(place.root);
    refuseProtected(scope, area, place, rest);
    // Files in the folder where skills' programs work are changed in place.
    const isWork = !scope.isGuest && /^work\/./.test(rest);
    await refuseLinks(place);
    if (area === 'task' && !isWork && rest.toLowerCase() !== 'implementation_plan.md')
      return writeArtifact(scope, rest, bytes);
    if (area === 'task') await takeRoom(scope.home, scope.taskId, bytes.length);
    else await takeRoomAt(scope.home, scope.taskId, path.join(place.root, ...place.names), bytes.length);
    await inPlace(place, () => putFile(place.root, place.names, bytes), signal);
    return { path: area === 'task' ? rest : `workspace/${rest}`, size: bytes.length };
  },
});

/** The write would replace this file. */
async function targetStamp(scope: ToolScope, given: string): Promise<string> {
  const { area = 'task', rest } = splitArea(scope, given);
  const known = area === 'task' ? await artifactNamed(scope, rest) : undefined;
  if (known) return (fileToReplace(scope, rest, known) ?? known).sha256;
  const { root, names } = placeIn(scope, area, rest);
  try {
    return (await useFile(root, names, ({ path: file }) => sha256File(file))) ?? '';
  } catch (error) {
    // Something that isn't a file has no stamp: the write is refused.
    if (error instanceof PathRefused) return '';
    throw error;
  }
}

/** A file that a person sent stays, and the new one is added, with a number in its name. */
async function writeArtifact(scope: ToolScope, name: string, content: Buffer) {
  const known = await artifactNamed(scope, name);
  const mine = known && fileToReplace(scope, name, known);
  const title = mine?.title ?? name;
  const type = mine?.type ?? known?.type ?? (await typeOf(name));
  const given = { title, type, name: mine?.name ?? path.posix.basename(name), content, origin: 'agent' as const };
  const ref = await openTask(scope.home, scope.taskId).artifacts.create(mine ? { ...given, id: mine.id } : given);
  const isNumbered = mine ? mine.id !== known.id : ref.title !== title;
  return { path: isNumbered ? ref.title : name, size: content.length, ...attached(scope, ref) };
}

/** Returns the viber's file that a write to this name replaces: one with a number, if a person's file has the name. */
function fileToReplace(scope: ToolScope, name: string, known: ArtifactMeta): ArtifactMeta | undefined {
  if (known.origin === 'agent') return known;
  const isMine = ({ origin, title }: ArtifactMeta) =>
    origin === 'agent' && withoutNumber(title).toLowerCase() === name.toLowerCase();
  return openTask(scope.home, scope.taskId).artifacts.list().findLast(isMine);
}

async function typeOf(name: string): Promise<string> {
  const extension = path.extname(name).toLowerCase();
  const { default: mime } = await import('mime');
  return TEXT_TYPES[extension] ?? mime.getType(name) ?? 'text/plain';
}

/** The registry of types maps these to another one. */
const TEXT_TYPES: Readonly<Record<string, string>> = {
  '.md': 'text/markdown',
  '.ts': 'text/plain',
  '.txt': 'text/plain',
};
