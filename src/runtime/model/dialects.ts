/** What single OpenAI-compatible providers take otherwise than all the others. Pure. */
import { isRecord } from '../../lib/json.ts';
import type { Dialect } from '../contract/providers.ts';
import { STANDING } from '../contract/standing.ts';

type Body = Record<string, unknown>;

/** The body of a request as the provider takes it. */
export function bodyFor(provider: Dialect, given: Body): Body {
  const body = withThinking(provider, given);
  return provider === 'openrouter' ? withBreakpoints(body) : body;
}

/** Mistral counts tokens unasked, and refuses what it does not know. */
export const mustAskForUsage = (provider: Dialect): boolean => provider !== 'mistral';

const BREAKPOINT = { type: 'ephemeral' };

/**
 * Anthropic's models cache what they are told to, also through OpenRouter: the system's part by a mark on its block, what was said
 * before by one on the message before what stands now, and all up to the last message by one on the request (https://openrouter.ai/docs/client-sdks/typescript/models/anthropiccachecontroldirective).
 */
function withBreakpoints(body: Body): Body {
  const { model, messages } = body;
  if (typeof model !== 'string' || !model.startsWith('anthropic/') || !Array.isArray(messages)) return body;
  const [first, ...rest]: unknown[] = messages;
  const isSystem = isRecord(first) && first.role === 'system' && typeof first.content === 'string';
  const told = rest.findLastIndex((message) => isRecord(message) && isStanding(message.content));
  const said = rest.map((message, at) => (at === told - 1 ? withMark(message) : message));
  return { ...body, messages: [isSystem ? withMark(first) : first, ...said], cache_control: BREAKPOINT };
}

const isStanding = (content: unknown): boolean => typeof content === 'string' && content.startsWith(STANDING);

/** Results of tools take no parts. */
function withMark(message: unknown): unknown {
  if (!isRecord(message) || typeof message.content !== 'string' || message.content === '' || message.role === 'tool')
    return message;
  return { ...message, content: [{ type: 'text', text: message.content, cache_control: BREAKPOINT }] };
}

/** Of models of Anthropic's that its library does not know: it would give them 4,096 tokens, which one file of code goes beyond. */
const FAMILIES: readonly (readonly [RegExp, number])[] = [
  [/claude-(instant|v?[12](?=$|[-.:])|3-(opus|sonnet|haiku))/, 4_096],
  [/claude-3-5-/, 8_192],
  [/claude-3-7-/, 64_000],
  [/opus|sonnet|haiku|fable|claude/, 128_000],
];
/** Of others that speak Anthropic's interface. */
const USUAL_OUTPUT = 32_000;

/** Undefined where the library, or the provider, knows better. */
export function outputLimitOf(provider: string, model: string): number | undefined {
  if (provider !== 'anthropic' || KNOWN_TO_LIBRARY.test(model)) return undefined;
  return FAMILIES.find(([family]) => family.test(model))?.[1] ?? USUAL_OUTPUT;
}

const KNOWN_TO_LIBRARY = /claude-(opus|sonnet|haiku|fable)-[45]/;

/** How long to think, as the provider calls it: DeepSeek and Moonshot switch it apart from its level, OpenRouter has both in one. */
function withThinking(provider: Dialect, { reasoning_effort: effort, ...body }: Body): Body {
  if (effort === undefined) return body;
  const thinking = { type: effort === 'none' ? 'disabled' : 'enabled' };
  if (provider === 'moonshot' || (provider === 'deepseek' && effort === 'none')) return { ...body, thinking };
  if (provider === 'deepseek') return { ...body, thinking, reasoning_effort: effort };
  if (provider === 'openrouter') return { ...body, reasoning: effort === 'none' ? { enabled: false } : { effort } };
  return { ...body, reasoning_effort: effort };
}
