/** Adapts requests to OpenAI-compatible providers that differ from the others. Pure. */
import { isRecord } from '../../lib/json.ts';
import type { Dialect } from '../contract/providers.ts';
import { STANDING } from '../contract/standing.ts';

type Body = Record<string, unknown>;

/** Returns a request's body as the provider expects it. */
export function bodyFor(provider: Dialect, given: Body): Body {
  const body = withThinking(provider, given);
  return provider === 'openrouter' ? withBreakpoints(body) : body;
}

/** Mistral counts tokens without being asked, and refuses unknown fields. */
export const mustAskForUsage = (provider: Dialect): boolean => provider !== 'mistral';

const BREAKPOINT = { type: 'ephemeral' };

/**
 * Anthropic's models cache only what is marked, also through OpenRouter: the system part by a mark on its block, the
 * conversation by a mark on the message before the current state, and everything up to the last message by a mark on
 * the request (https://openrouter.ai/docs/client-sdks/typescript/models/anthropiccachecontroldirective).
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

/** Tool results don't accept parts. */
function withMark(message: unknown): unknown {
  if (!isRecord(message) || typeof message.content !== 'string' || message.content === '' || message.role === 'tool')
    return message;
  return { ...message, content: [{ type: 'text', text: message.content, cache_control: BREAKPOINT }] };
}

/**
 * Output limits of Anthropic models that Anthropic's library doesn't know: it would default to 4,096 tokens, less than
 * one file of code.
 */
const FAMILIES: readonly (readonly [RegExp, number])[] = [
  [/claude-(instant|v?[12](?=$|[-.:])|3-(opus|sonnet|haiku))/, 4_096],
  [/claude-3-5-/, 8_192],
  [/claude-3-7-/, 64_000],
  [/opus|sonnet|haiku|fable|claude/, 128_000],
];
/** The output limit of other models that use Anthropic's API. */
const USUAL_OUTPUT = 32_000;

/** Returns undefined where the library or the provider has a better default. */
export function outputLimitOf(provider: string, model: string): number | undefined {
  if (provider !== 'anthropic' || KNOWN_TO_LIBRARY.test(model)) return undefined;
  return FAMILIES.find(([family]) => family.test(model))?.[1] ?? USUAL_OUTPUT;
}

const KNOWN_TO_LIBRARY = /claude-(opus|sonnet|haiku|fable)-[45]/;

/**
 * Sets how long to think in the provider's terms: DeepSeek and Moonshot have a switch apart from the level, OpenRouter
 * combines both.
 */
function withThinking(provider: Dialect, { reasoning_effort: effort, ...body }: Body): Body {
  if (effort === undefined) return body;
  const thinking = { type: effort === 'none' ? 'disabled' : 'enabled' };
  if (provider === 'moonshot' || (provider === 'deepseek' && effort === 'none')) return { ...body, thinking };
  if (provider === 'deepseek') return { ...body, thinking, reasoning_effort: effort };
  if (provider === 'openrouter') return { ...body, reasoning: effort === 'none' ? { enabled: false } : { effort } };
  return { ...body, reasoning_effort: effort };
}
