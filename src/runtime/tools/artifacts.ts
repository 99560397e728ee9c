/** `create_artifact` and `attach_artifact`: files that are attached to the answer. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { UserError } from '../../errors.ts';
import { openTask } from '../../workspace/tasks/index.ts';
import type { ArtifactRef } from '../../workspace/types.ts';
import { type Ability, defineTool } from '../contract/tool.ts';
import type { ToolScope } from '../contract/tool-scope.ts';
import { existingArtifact } from './attach-file.ts';
import { toEverybody } from './offered.ts';
import type { CoreRun } from './run.ts';

export const MAKES_FILES: Ability = { line: 'work', words: 'make and change files' };

/** The most bytes that a tool may write. */
export const MAX_BYTES = 10_485_760;

const createInput = z.object({
  title: z.string(),
  type: z.string().describe('MIME type'),
  content: z.string(),
  encoding: z.enum(['utf8', 'base64']).exactOptional(),
});

export const createArtifactTool = defineTool({
  name: 'create_artifact',
  describe: 'Make a file for the person; it is attached to your answer.',
  rule: 'Give files with create_artifact, not as long text in the chat.',
  ability: MAKES_FILES,
  doing: 'doing.writing',
  like: 'write',
  about: { argument: 'title', doing: 'doing.writingThis' },
  input: createInput,
  effect: 'idempotent',
  offered: toEverybody,
  ownWords: true,
  isAside: true,
  asks: ({ title }, _run: CoreRun, { messages, plain }) => ({
    text: messages.text('consent.saveArtifact', { file: plain(title) }),
    yes: messages.text('consent.save'),
  }),
  async execute({ title, type, content, encoding = 'utf8' }, { scope }) {
    const bytes = artifactBytes(content, encoding);
    // If the same file is requested again in this run, say after a restart, it is the same artifact.
    const sum = createHash('sha256')
      .update(JSON.stringify([scope.runId, title, type]))
      .update(bytes);
    const id = sum.digest('hex').slice(0, 10);
    const name = fileName(title);
    const given = { id, title, type, content: bytes, origin: 'agent' as const, ...(name ? { name } : {}) };
    const ref = await openTask(scope.home, scope.taskId).artifacts.create(given);
    // The model must call the file by the name that people see.
    return { ...attached(scope, ref), ...(ref.title !== title && { title: ref.title }) };
  },
});

const attachInput = z.object({ id: z.string() });

export const attachArtifact = defineTool({
  name: 'attach_artifact',
  describe: 'Attach an artifact or workspace/NAME.',
  doing: 'doing.attaching',
  input: attachInput,
  effect: 'idempotent',
  consent: 'never',
  offered: toEverybody,
  ownWords: true,
  isAside: true,
  async execute({ id }, { scope }: CoreRun) {
    return attached(scope, await existingArtifact(scope, id));
  },
});

/** Returns what the model needs to refer to it again. */
export function attached(
  { onArtifact }: ToolScope,
  { id, title, type, ref }: ArtifactRef,
): { id: string; ref: string } {
  onArtifact({ id, title, type, ref });
  return { id, ref };
}

/** @throws UserError if it is empty, above 10 MB, or not base64 */
export function artifactBytes(content: string, encoding: 'utf8' | 'base64'): Buffer {
  if (content.length > MAX_BYTES * 2) throw tooLarge();
  const bytes = encoding === 'base64' ? fromBase64(content) : Buffer.from(content.toWellFormed());
  if (bytes.length === 0) throw new UserError('The content is empty.');
  if (bytes.length > MAX_BYTES) throw tooLarge();
  return bytes;
}

const tooLarge = (): UserError => new UserError('The content is too large: at most 10 MB.');

/** Node skips invalid characters; a file with a gap must not be sent as if it were complete. */
function fromBase64(content: string): Buffer {
  const text = content
    .replace(/\s+/g, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replace(/={1,2}$/, '');
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64').replace(/=+$/, '') !== text) throw new UserError('The content is not valid base64.');
  return bytes;
}

/** Undefined for plain words or a version number. */
export function fileName(title: string): string | undefined {
  const last = title.split(/[/\\]/).at(-1)?.trim() ?? '';
  return /[^.\s].*\.(?=\d*[A-Za-z])[A-Za-z0-9]{1,10}$/.test(last) ? last : undefined;
}
