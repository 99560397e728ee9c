/**
 * The pictures of a request, as far as there is room for them: tools give one with every step, and each is sent again with every later
 * step. The oldest leave first, and many at a time, so that a provider's cache holds. Pure.
 */
import type { Prompt } from '../contract/model.ts';
import { newestWords } from './results.ts';

type UserPart = Extract<Prompt[number], { role: 'user' }>['content'][number];
type FilePart = Extract<UserPart, { type: 'file' }>;

/** Of more than 20 Anthropic refuses all that have an edge above 2,000 pixels. */
const MAX_COUNT = 20;
/** Requests of 32 MB are Anthropic's limit, and base64 is a third more. */
const MAX_BYTES = 20_000_000;

/**
 * @param most how many the model takes, where it has said so; then even those that came with the newest words may leave
 * @param onLeft is told of each that has left
 */
export function fitFiles(prompt: Prompt, most: number | undefined, onLeft: (part: FilePart) => void): Prompt {
  const newest = newestWords(prompt);
  const files = prompt.flatMap((message, at) =>
    message.role === 'user' ? message.content.flatMap((part) => (part.type === 'file' ? [{ part, at }] : [])) : [],
  );
  const mayLeave = files.filter(({ at }) => most !== undefined || at !== newest).map(({ part }) => part);
  const own = files.length - mayLeave.length;
  const out = leaving(mayLeave, { count: (most ?? MAX_COUNT) - own, isExact: most !== undefined });
  if (out.size === 0) return prompt;
  for (const part of out) onLeft(part);
  return prompt.map((message) =>
    message.role === 'user'
      ? { ...message, content: message.content.map((part) => (isIn(out, part) ? noteFor(part) : part)) }
      : message,
  );
}

/** What is decided of a prompt's beginning does not depend on its end. */
function leaving(files: readonly FilePart[], { count, isExact }: { count: number; isExact: boolean }): Set<FilePart> {
  const out = new Set<FilePart>();
  const kept: FilePart[] = [];
  const bytes = () => kept.reduce((sum, part) => sum + sizeOf(part), 0);
  for (const file of files) {
    kept.push(file);
    if (kept.length <= Math.max(0, count) && bytes() <= MAX_BYTES) continue;
    const share = isExact ? 1 : 2;
    // The newest stays, but with a model that takes none.
    const least = isExact ? 0 : 1;
    while (kept.length > least && (kept.length > Math.max(0, count) / share || bytes() > MAX_BYTES / share)) {
      const oldest = kept.shift();
      if (oldest) out.add(oldest);
    }
  }
  return out;
}

const isIn = (out: ReadonlySet<FilePart>, part: UserPart): part is FilePart => part.type === 'file' && out.has(part);

const sizeOf = ({ data }: FilePart): number =>
  data.type === 'data' ? (typeof data.data === 'string' ? (data.data.length * 3) / 4 : data.data.length) : 0;

const noteFor = ({ filename }: FilePart): UserPart => ({
  type: 'text',
  text: `[${filename ?? 'a file'} is not shown to you any more, because newer ones need the room]`,
});
