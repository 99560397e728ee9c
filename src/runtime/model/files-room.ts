/**
 * Limits the pictures of a request to what fits: tools return pictures with every step, and each is sent again with
 * every later step. The oldest are dropped first, and many at once, so that a provider's cache holds. Pure.
 */
import type { Prompt } from '../contract/model.ts';
import type { Dialect } from '../contract/providers.ts';
import { newestWords } from './results.ts';

type UserPart = Extract<Prompt[number], { role: 'user' }>['content'][number];
type FilePart = Extract<UserPart, { type: 'file' }>;

/** How many pictures fit in a request, and their size before base64, which adds a third. */
interface Room {
  count: number;
  bytes: number;
}

/**
 * Anthropic's limits, the smallest except for those below: with more than 20 pictures it refuses all that have an edge
 * above 2,000 pixels, and it refuses requests of more than 32 MB
 * (platform.claude.com/docs/en/build-with-claude/vision). OpenAI takes 500 pictures and 50 MB
 * (developers.openai.com/docs/guides/images-vision), Google 100 MB (blog.google, "Increased file size limits", January
 * 2026), xAI any number of 20 MiB each, as JPEG or PNG (docs.x.ai/docs/guides/image-understanding). OpenRouter has the
 * limits of the provider behind it.
 */
const USUAL: Room = { count: 20, bytes: 20_000_000 };
const ROOMS: Partial<Record<Dialect, Room>> = {
  // Five pictures, and 4 MB of base64 in a whole request: console.groq.com/docs/vision.
  groq: { count: 5, bytes: 2_900_000 },
};

/**
 * @param most how many pictures the model takes, if it has said so; then even those of the newest message may be
 * dropped
 * @param onLeft called for each dropped picture
 */
export function fitFiles(
  prompt: Prompt,
  { dialect, most }: { dialect: Dialect; most: number | undefined },
  onLeft: (part: FilePart) => void,
): Prompt {
  const room = ROOMS[dialect] ?? USUAL;
  const newest = newestWords(prompt);
  const files = prompt.flatMap((message, at) =>
    message.role === 'user' ? message.content.flatMap((part) => (part.type === 'file' ? [{ part, at }] : [])) : [],
  );
  const mayLeave = files.filter(({ at }) => most !== undefined || at !== newest).map(({ part }) => part);
  const own = files.length - mayLeave.length;
  const out = leaving(mayLeave, { count: (most ?? room.count) - own, bytes: room.bytes, isExact: most !== undefined });
  if (out.size === 0) return prompt;
  for (const part of out) onLeft(part);
  return prompt.map((message) =>
    message.role === 'user'
      ? { ...message, content: message.content.map((part) => (isIn(out, part) ? hiddenFileNote(part) : part)) }
      : message,
  );
}

/** Selects the files to drop. Decisions about a prompt's beginning don't depend on its end. */
function leaving(
  files: readonly FilePart[],
  { count, bytes: most, isExact }: Room & { isExact: boolean },
): Set<FilePart> {
  const out = new Set<FilePart>();
  const kept: FilePart[] = [];
  const bytes = () => kept.reduce((sum, part) => sum + partSize(part), 0);
  for (const file of files) {
    kept.push(file);
    if (kept.length <= Math.max(0, count) && bytes() <= most) continue;
    const share = isExact ? 1 : 2;
    // The newest one stays, unless the model takes none.
    const least = isExact ? 0 : 1;
    while (kept.length > least && (kept.length > Math.max(0, count) / share || bytes() > most / share)) {
      const oldest = kept.shift();
      if (oldest) out.add(oldest);
    }
  }
  return out;
}

const isIn = (out: ReadonlySet<FilePart>, part: UserPart): part is FilePart => part.type === 'file' && out.has(part);

const partSize = ({ data }: FilePart): number =>
  data.type === 'data' ? (typeof data.data === 'string' ? (data.data.length * 3) / 4 : data.data.length) : 0;

const hiddenFileNote = ({ filename }: FilePart): UserPart => ({
  type: 'text',
  text: `[${filename ?? 'a file'} is not shown to you any more, because newer ones need the room]`,
});
