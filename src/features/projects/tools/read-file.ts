/** `read_file` for a project: text files as numbered lines, pictures as pictures, and documents as text. */
import fs from 'node:fs';
import { z } from 'zod';
import { UserError } from '../../../errors.ts';
import { type HeldFile, readBytes, useFile } from '../../../lib/files/below.ts';
import { hashText } from '../../../lib/files.ts';
import { formatSize } from '../../../runtime/context/turn.ts';
import { defineTool } from '../../../runtime/contract/tool.ts';
import { readFile as readTaskFile } from '../../../runtime/tools/read-file.ts';
import { readStoredPage } from '../../../runtime/tools/read-text.ts';
import { openTask } from '../../../workspace/tasks/index.ts';
import type { Json } from '../../../workspace/types.ts';
import { MAX_READ, pathInProject, readText, sumOf } from '../files.ts';
import { isOfTask, type ProjectRun } from './run.ts';

const MAX_LINES = 2_000;
const MAX_CHARACTERS = 60_000;
/** Longer lines are cut: nobody wrote them by hand. */
const MAX_LINE = 2_000;
/** Size limit for pictures in bytes, the same as for files that people send. */
const MAX_PICTURE = 20_000_000;
const SIGNATURE = 16;

const input = z.object({
  path: z.string(),
  from: z.number().exactOptional(),
  lines: z.number().exactOptional(),
  offset: z.number().exactOptional(),
});

export const readFile = defineTool({
  name: 'read_file',
  replaces: true,
  describe: 'Read a file of the project with line numbers, 2,000 lines at once; or an artifact, or workspace/...',
  input,
  effect: 'read',
  doing: 'doing.reading',
  about: { argument: 'path', doing: 'doing.readingThis' },
  isBeside: true,
  async execute({ path, from = 1, lines = MAX_LINES, offset }, run: ProjectRun, options) {
    const ofTask = () => readTaskFile.execute({ path, ...(offset !== undefined && { offset }) }, run, options);
    if (isOfTask(path)) return ofTask();
    const project = run.project();
    const names = pathInProject(project, path);
    if (names.length === 0) throw new UserError('This is a folder: list_files shows what is in it.');
    const label = names.join('/');
    const read = async (file: HeldFile): Promise<Json> => {
      const shown = (await documentText(file, label, run, options.signal)) ?? (await showPicture(file, label, run));
      if (shown) return shown;
      const text = await readText(file, label, MAX_READ);
      run.seen.note(label, text.sum);
      return page(label, text.text, Math.max(1, Math.floor(from)), Math.max(1, Math.floor(lines)), text.encoding);
    };
    // A path that isn't in the project may name an artifact.
    return (await useFile(project.folder, names, read)) ?? ofTask();
  },
});

/** Returns the text of a PDF, Word file or recording, which has no lines to number. */
async function documentText(
  { path }: HeldFile,
  label: string,
  { scope }: ProjectRun,
  signal: AbortSignal,
): Promise<Json | undefined> {
  if (!/\.(pdf|docx|pptx|xlsx|odt|ods|odp|epub)$/i.test(label)) return undefined;
  const said = await scope.textOf?.({ path, name: nameIn(label) }, signal);
  return said && { ...(await readStoredPage(said.file, label, 0)), path: label };
}

/** Shows a picture to the model. The task keeps a copy, because later requests of the conversation contain it too. */
async function showPicture({ fd, stat }: HeldFile, label: string, { scope }: ProjectRun): Promise<Json | undefined> {
  const type = pictureType(firstBytes(fd));
  if (type === undefined) return undefined;
  if (stat.size > MAX_PICTURE) throw new UserError(`${label} is too large to be shown (${formatSize(stat.size)}).`);
  const content = await readBytes(fd, stat.size);
  const id = hashText(`${label}\n${sumOf(content)}`).slice(0, 10);
  const given = { id, title: nameIn(label), type, content, origin: 'agent' as const };
  const ref = await openTask(scope.home, scope.taskId).artifacts.create(given);
  if (!scope.onShown?.(ref))
    throw new UserError(`${label} is a picture, and I can't show you any more pictures in this run.`);
  return { path: label, shown: 'The picture follows.' };
}

const nameIn = (label: string): string => label.slice(label.lastIndexOf('/') + 1);

const SIGNATURES: readonly [string, string][] = [
  ['89504e470d0a1a0a', 'image/png'],
  ['ffd8ff', 'image/jpeg'],
  ['47494638', 'image/gif'],
];

function pictureType(head: Buffer): string | undefined {
  const hex = head.toString('hex');
  // RIFF, a length of four bytes, WEBP.
  if (/^52494646.{8}57454250/.test(hex)) return 'image/webp';
  return SIGNATURES.find(([signature]) => hex.startsWith(signature))?.[1];
}

function firstBytes(fd: number): Buffer {
  const bytes = Buffer.alloc(SIGNATURE);
  return bytes.subarray(0, fs.readSync(fd, bytes, 0, SIGNATURE, 0));
}

function page(path: string, text: string, from: number, most: number, encoding: string): Json {
  const all = text.split('\n');
  // A line break at the end of the file doesn't begin another line.
  if (all.at(-1) === '') all.pop();
  const shown: string[] = [];
  let length = 0;
  for (const line of all.slice(from - 1, from - 1 + Math.min(most, MAX_LINES))) {
    const bare = line.replace(/\r$/, '');
    const cut =
      bare.length > MAX_LINE ? `${bare.slice(0, MAX_LINE).toWellFormed()}… (${bare.length} characters)` : bare;
    const numbered = `${from + shown.length}\t${cut}`;
    length += numbered.length + 1;
    if (length > MAX_CHARACTERS && shown.length > 0) break;
    shown.push(numbered);
  }
  const next = from + shown.length;
  return {
    path,
    lines: all.length,
    text: shown.join('\n'),
    ...(next <= all.length && shown.length > 0 && { next: `from: ${next}` }),
    ...(encoding !== 'utf-8' && { encoding }),
  };
}
