/**
 * Preserves what OpenRouter adds to a model's reasoning text: blocks with signatures and encrypted data, which the
 * model behind it requires back with the results of its calls. They go back unchanged, and only to the model that made
 * them. https://openrouter.ai/docs/use-cases/reasoning-tokens#preserving-reasoning-blocks
 */
import { isRecord } from '../../lib/json.ts';
import type { Json } from '../../workspace/types.ts';
import type { GenerateResult, Prompt } from '../contract/model.ts';

type Message = Prompt[number];
type Assistant = Extract<Message, { role: 'assistant' }>;
type Detail = Record<string, unknown>;

const KEY = 'openrouter';
const FIELD = 'reasoning_details';
/** Fields that arrive in pieces, like text. */
const TEXTS = ['text', 'summary'];

const copyJson = (value: unknown): Json => JSON.parse(JSON.stringify(value));

function added(details: Detail[], piece: Detail): void {
  const last = details.at(-1);
  const field = TEXTS.find((name) => typeof piece[name] === 'string');
  const isNext = last !== undefined && field !== undefined && last.type === piece.type && last.index === piece.index;
  if (!isNext) {
    details.push({ ...piece });
    return;
  }
  const said = Object.entries(piece).filter(([, value]) => value !== null && value !== undefined);
  Object.assign(last, Object.fromEntries(said), { [field]: `${last[field] ?? ''}${piece[field]}` });
}

const detailsIn = (message: unknown): Detail[] =>
  isRecord(message) && Array.isArray(message[FIELD]) ? message[FIELD].filter(isRecord) : [];

/** Returns `delta` or `message` of a Chat Completions answer. */
function choiceMessage(body: unknown): unknown {
  const [choice] = isRecord(body) && Array.isArray(body.choices) ? body.choices : [];
  return isRecord(choice) ? (choice.delta ?? choice.message) : undefined;
}

const metadata = (details: readonly Detail[]) =>
  details.length > 0 ? { [KEY]: { [FIELD]: copyJson(details) as Json[] } } : undefined;

/** Extracts the details for the library that reads Chat Completions. */
export const detailsExtractor = {
  extractMetadata: async ({ parsedBody }: { parsedBody: unknown }) => metadata(detailsIn(choiceMessage(parsedBody))),
  createStreamExtractor() {
    const details: Detail[] = [];
    return {
      processChunk(chunk: unknown) {
        for (const piece of detailsIn(choiceMessage(chunk))) added(details, piece);
      },
      buildMetadata: () => metadata(details),
    };
  },
};

/** Moves the reasoning details to the first part of the answer, where the session keeps them. */
export function withDetails(answer: GenerateResult): GenerateResult {
  const details = answer.providerMetadata?.[KEY]?.[FIELD];
  const [first, ...rest] = answer.content;
  if (details === undefined || !first) return answer;
  const own = { ...first.providerMetadata, [KEY]: { ...first.providerMetadata?.[KEY], [FIELD]: details } };
  return { ...answer, content: [{ ...first, providerMetadata: own }, ...rest] };
}

/**
 * Converts a message of the history for OpenRouter: the details of its parts move to the message and replace the plain
 * reasoning.
 */
export function asToldBack(message: Assistant): Assistant {
  const details = message.content.flatMap(({ providerOptions }) => {
    const own = providerOptions?.[KEY]?.[FIELD];
    return Array.isArray(own) ? own : [];
  });
  if (details.length === 0) return message;
  const content = message.content
    .filter(({ type }) => type !== 'reasoning')
    .map(({ providerOptions, ...part }) => {
      const { [KEY]: _told, ...others } = providerOptions ?? {};
      return {
        ...part,
        ...(Object.keys(others).length > 0 && { providerOptions: others }),
      } as Assistant['content'][number];
    });
  return { ...message, content, providerOptions: { openaiCompatible: { [FIELD]: details } } };
}
