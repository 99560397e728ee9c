/**
 * What OpenRouter tells of a model's thoughts beside their text: blocks with signatures and encrypted data, which the model behind it
 * demands back with the results of its calls. They go back as they came, to the very model that made them, and to nobody else.
 * https://openrouter.ai/docs/use-cases/reasoning-tokens#preserving-reasoning-blocks
 */
import { isRecord } from '../../lib/json.ts';
import type { Json } from '../../workspace/types.ts';
import type { GenerateResult, Prompt } from '../contract/model.ts';

type Message = Prompt[number];
type Assistant = Extract<Message, { role: 'assistant' }>;
type Detail = Record<string, unknown>;

const KEY = 'openrouter';
const FIELD = 'reasoning_details';
/** They come in pieces, as text does. */
const TEXTS = ['text', 'summary'];

const plain = (value: unknown): Json => JSON.parse(JSON.stringify(value));

/** The pieces of one block as one. */
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

/** `delta` or `message` of an answer of Chat Completions. */
function saidIn(body: unknown): unknown {
  const [choice] = isRecord(body) && Array.isArray(body.choices) ? body.choices : [];
  return isRecord(choice) ? (choice.delta ?? choice.message) : undefined;
}

const metadata = (details: readonly Detail[]) =>
  details.length > 0 ? { [KEY]: { [FIELD]: plain(details) as Json[] } } : undefined;

/** For the library that reads Chat Completions. */
export const detailsExtractor = {
  extractMetadata: async ({ parsedBody }: { parsedBody: unknown }) => metadata(detailsIn(saidIn(parsedBody))),
  createStreamExtractor() {
    const details: Detail[] = [];
    return {
      processChunk(chunk: unknown) {
        for (const piece of detailsIn(saidIn(chunk))) added(details, piece);
      },
      buildMetadata: () => metadata(details),
    };
  },
};

/** The answer with what was told of its thoughts at its first part, where the session keeps it. */
export function withDetails(answer: GenerateResult): GenerateResult {
  const details = answer.providerMetadata?.[KEY]?.[FIELD];
  const [first, ...rest] = answer.content;
  if (details === undefined || !first) return answer;
  const own = { ...first.providerMetadata, [KEY]: { ...first.providerMetadata?.[KEY], [FIELD]: details } };
  return { ...answer, content: [{ ...first, providerMetadata: own }, ...rest] };
}

/** A message of the history as OpenRouter reads it: what its parts hold stands at the message, in the place of the plain thoughts. */
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
