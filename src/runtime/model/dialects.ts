/** What single OpenAI-compatible providers take otherwise than all the others. Pure. */
import { isRecord } from '../../lib/json.ts';
import type { Dialect } from '../contract/providers.ts';

type Body = Record<string, unknown>;

/** The body of a streamed request as the provider takes it. */
export function bodyFor(provider: Dialect, body: Body): Body {
  const streamed = { ...withThinking(provider, body), stream: true };
  // Mistral counts tokens unasked, and refuses what it does not know.
  if (provider === 'mistral') return streamed;
  const counted = { ...streamed, stream_options: { include_usage: true } };
  return provider === 'openrouter' ? withBreakpoints(counted) : counted;
}

const BREAKPOINT = { type: 'ephemeral' };

/**
 * Anthropic's models cache what they are told to, also through OpenRouter: the system's part by a mark on its block, and all up to
 * the last message by one on the request (https://openrouter.ai/docs/client-sdks/typescript/models/anthropiccachecontroldirective).
 */
function withBreakpoints(body: Body): Body {
  const { model, messages } = body;
  if (typeof model !== 'string' || !model.startsWith('anthropic/') || !Array.isArray(messages)) return body;
  const [first, ...rest]: unknown[] = messages;
  const isSystem = isRecord(first) && first.role === 'system' && typeof first.content === 'string';
  const marked = isSystem
    ? { ...first, content: [{ type: 'text', text: first.content, cache_control: BREAKPOINT }] }
    : first;
  return { ...body, messages: [marked, ...rest], cache_control: BREAKPOINT };
}

/** How long to think, as the provider calls it: DeepSeek and Moonshot switch it apart from its level, OpenRouter has both in one. */
function withThinking(provider: Dialect, { reasoning_effort: effort, ...body }: Body): Body {
  if (effort === undefined) return body;
  const thinking = { type: effort === 'none' ? 'disabled' : 'enabled' };
  if (provider === 'moonshot' || (provider === 'deepseek' && effort === 'none')) return { ...body, thinking };
  if (provider === 'deepseek') return { ...body, thinking, reasoning_effort: effort };
  if (provider === 'openrouter') return { ...body, reasoning: effort === 'none' ? { enabled: false } : { effort } };
  return { ...body, reasoning_effort: effort };
}
