/** `write_file`: text into the workspace, or as an artifact of the task when the path says no place. */
import { lstatSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { UserError } from '../../errors.ts';
import { sha256File, writeFileAtomic } from '../../lib/files.ts';
import { createArtifact } from '../../workspace/artifacts.ts';
import { defineTool, type ToolScope } from '../contract/tool-scope.ts';
import { attached, decode } from './artifacts.ts';
import { artifactNamed, refuseProtected, resolveIn, splitArea } from './paths.ts';

const input = z.object({ path: z.string(), content: z.string() });

export const writeFile = (scope: ToolScope) =>
  defineTool({
    name: 'write_file',
    description:
      'Write a text file: workspace/... keeps it there; a bare name makes or replaces an artifact, attached to your answer.',
    input,
    effect: 'idempotent',
    // The task's own artifacts are its own affair; the workspace is shared by all tasks.
    isOutside: ({ path: given }) => splitArea(scope, given).area === 'workspace',
    kindOf: ({ path: given }) => (splitArea(scope, given).area === 'workspace' ? 'workspace files' : 'artifacts'),
    shows: ({ path: given }) => stampOf(scope, given),
    asks({ path: given }, { messages, plain }) {
      const { area, rest } = splitArea(scope, given);
      const key = area === 'workspace' ? 'consent.saveFile' : 'consent.saveArtifact';
      return { text: messages.text(key, { file: plain(rest) }), yes: messages.text('consent.save') };
    },
    async execute({ path: given, content }) {
      const bytes = decode(content, 'utf8');
      const { area = 'task', rest } = splitArea(scope, given);
      if (rest === '') throw new UserError('The path names no file.');
      const file = await resolveIn(scope, area, rest);
      refuseProtected(scope, area, file, rest);
      if (area === 'task' && !scope.isGuest && /^work\/./.test(rest)) return writeWork(rest, file, bytes);
      if (area === 'task' && rest.toLowerCase() !== 'implementation_plan.md') return writeArtifact(scope, rest, bytes);
      if (lstatSync(file, { throwIfNoEntry: false })?.isDirectory()) throw new UserError(`"${rest}" is a folder.`);
      await writeFileAtomic(file, bytes);
      return { path: area === 'task' ? rest : `workspace/${rest}`, size: bytes.length };
    },
  });

/** What it would replace, as it stands. */
async function stampOf(scope: ToolScope, given: string): Promise<string> {
  const { area = 'task', rest } = splitArea(scope, given);
  const known = area === 'task' ? await artifactNamed(scope, rest) : undefined;
  if (known) return known.sha256;
  const file = await resolveIn(scope, area, rest);
  const isThere = lstatSync(file, { throwIfNoEntry: false })?.isFile();
  return isThere ? sha256File(file) : '';
}

/** Where programs of skills work: what they have put there is changed where it stands. */
async function writeWork(rest: string, file: string, bytes: Buffer) {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  if (lstatSync(file, { throwIfNoEntry: false })?.isDirectory()) throw new UserError(`"${rest}" is a folder.`);
  await writeFileAtomic(file, bytes);
  return { path: rest, size: bytes.length };
}

/** What the viber made is replaced under its id; what a person sent in stays, and the new one stands beside it. */
async function writeArtifact(scope: ToolScope, name: string, content: Buffer) {
  const known = await artifactNamed(scope, name);
  const mine = known?.origin === 'agent' ? known : undefined;
  const title = mine?.title ?? name;
  const type = mine?.type ?? known?.type ?? (await typeOf(name));
  const given = { title, type, name: mine?.name ?? path.posix.basename(name), content, origin: 'agent' as const };
  const ref = await createArtifact(scope.home, scope.taskId, mine ? { ...given, id: mine.id } : given);
  return { path: name, size: content.length, ...attached(scope, ref) };
}

async function typeOf(name: string): Promise<string> {
  const extension = path.extname(name).toLowerCase();
  const { default: mime } = await import('mime');
  return TEXT_TYPES[extension] ?? mime.getType(name) ?? 'text/plain';
}

/** Extensions that the registry of types gives to something else. */
const TEXT_TYPES: Readonly<Record<string, string>> = {
  '.md': 'text/markdown',
  '.ts': 'text/plain',
  '.txt': 'text/plain',
};
