/** What single OpenAI-compatible providers take otherwise than all the others. Pure. */
import { createHash } from 'node:crypto';
import { isRecord } from '../../lib/json.ts';

type Body = Record<string, unknown>;

/** The body of a streamed request as the provider takes it. */
export function bodyFor(provider: string, body: Body): Body {
  const streamed = { ...withThinking(provider, body), stream: true };
  // Mistral counts tokens unasked, and refuses what it does not know.
  if (provider === 'mistral') return shortIds(streamed);
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
function withThinking(provider: string, { reasoning_effort: effort, ...body }: Body): Body {
  if (effort === undefined) return body;
  const thinking = { type: effort === 'none' ? 'disabled' : 'enabled' };
  if (provider === 'moonshot' || (provider === 'deepseek' && effort === 'none')) return { ...body, thinking };
  if (provider === 'deepseek') return { ...body, thinking, reasoning_effort: effort };
  if (provider === 'openrouter') return { ...body, reasoning: effort === 'none' ? { enabled: false } : { effort } };
  return { ...body, reasoning_effort: effort };
}

/** Mistral takes ids of exactly nine letters and digits, and a conversation may hold calls of other models. */
function shortIds(body: Body): Body {
  if (!Array.isArray(body.messages)) return body;
  const messages: unknown[] = body.messages.map((message: unknown) => {
    if (!isRecord(message)) return message;
    const { tool_call_id: answered, tool_calls: calls } = message;
    return {
      ...message,
      ...(typeof answered === 'string' && { tool_call_id: shortId(answered) }),
      ...(Array.isArray(calls) && { tool_calls: calls.map(withShortId) }),
    };
  });
  return { ...body, messages };
}

const withShortId = (call: unknown): unknown =>
  isRecord(call) && typeof call.id === 'string' ? { ...call, id: shortId(call.id) } : call;

function shortId(id: string): string {
  if (/^[A-Za-z0-9]{9}$/.test(id)) return id;
  return createHash('sha256').update(id).digest('hex').slice(0, 9);
}
