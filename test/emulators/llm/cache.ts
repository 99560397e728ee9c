/**
 * A prompt cache as Anthropic keeps it. Everything before a mark is stored under a hash of all of it: first tools, then
 * the system's blocks, then the messages' blocks. A request reads the longest stored prefix, looking at each of its
 * marks and at most 20 blocks before it. There are at most four marks.
 * Source: platform.claude.com/docs/en/build-with-claude/prompt-caching
 */
import { createHash } from 'node:crypto';

export interface CacheUse {
  cache_creation_input_tokens: number;
  cache_read_input_tokens: number;
  input_tokens: number;
}

const LOOK_BACK = 20;
const MAX_MARKS = 4;
/** Characters per token; shorter prefixes aren't stored. */
const TOKEN = 4;
const LEAST_TOKENS = 1024;

type Fields = Record<string, unknown>;

export const countMarks = (blocks: readonly Fields[]): number => blocks.filter((block) => block.cache_control).length;

/**
 * Returns a request's blocks in the order in which the cache reads them, each with its position, so that a moved block
 * is a different one.
 */
export function blocksOf(body: Fields): Fields[] {
  const list = (value: unknown): Fields[] =>
    typeof value === 'string' ? [{ type: 'text', text: value }] : ((value ?? []) as Fields[]);
  const messages = list(body.messages).flatMap(({ role, content }) =>
    list(content).map((block) => ({ role, ...block })),
  );
  return [...list(body.tools), ...list(body.system), ...messages];
}

export function createPromptCache(): { use(body: Fields): CacheUse | string; clear(): void } {
  const kept = new Set<string>();
  return {
    clear: () => kept.clear(),
    use(body) {
      const blocks = blocksOf(body);
      if (countMarks(blocks) > MAX_MARKS)
        return `A maximum of ${MAX_MARKS} blocks with cache_control may be provided. Found ${countMarks(blocks)}.`;
      const hash = createHash('sha256').update(String(body.model));
      const prefixes = blocks.map(({ cache_control: mark, ...block }) => {
        const text = JSON.stringify(block);
        return { key: hash.update(text).copy().digest('hex'), size: text.length, isMarked: mark !== undefined };
      });
      const tokens = (count: number) =>
        Math.ceil(prefixes.slice(0, count).reduce((sum, { size }) => sum + size, 0) / TOKEN);
      const marks = prefixes.flatMap(({ isMarked }, at) => (isMarked ? [at] : []));
      let read = 0;
      for (const mark of marks)
        for (let at = mark; at >= Math.max(0, mark - LOOK_BACK); at -= 1)
          if (kept.has(prefixes[at]?.key ?? '')) {
            read = Math.max(read, at + 1);
            break;
          }
      const written = Math.max(read, ...marks.map((at) => at + 1), 0);
      for (const at of marks) if (tokens(at + 1) >= LEAST_TOKENS) kept.add(prefixes[at]?.key ?? '');
      return {
        cache_read_input_tokens: tokens(read),
        cache_creation_input_tokens: tokens(written) - tokens(read),
        input_tokens: tokens(blocks.length) - tokens(written),
      };
    },
  };
}
