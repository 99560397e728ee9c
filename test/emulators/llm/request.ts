/** Parses a chat request and refuses it as real endpoints do, with their kind of error body. */
import { wrongSchema } from './schemas.ts';
import { type LlmRequest, textOf, type WireMessage } from './turn.ts';

/** An HTTP refusal in the shape `{error: {message, type, param, code}}`. */
export interface Refusal {
  status: number;
  message: string;
  type: string;
  code: string | null;
  /** As FastAPI reports what is wrong; the whole body then. */
  detail?: unknown;
}

const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const ROLES = new Set(['system', 'developer', 'user', 'assistant', 'tool']);

function bad(message: string): Refusal {
  return { status: 400, message, type: 'invalid_request_error', code: null };
}

/** Every tool result must answer a call of the assistant message before it, and every call must be answered. */
function checkToolOrder(messages: WireMessage[]): Refusal | undefined {
  let open = new Set<string>();
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') {
      if (!open.delete(message.tool_call_id ?? '')) {
        return bad(`messages.[${index}]: a message with role 'tool' must be a response to a preceding 'tool_calls'`);
      }
      continue;
    }
    if (open.size > 0) {
      return bad(`messages.[${index}]: tool_call_ids without a response: ${[...open].join(', ')}`);
    }
    open = new Set((message.tool_calls ?? []).map((call) => call.id));
  }
  return open.size > 0 ? bad(`tool_call_ids without a response: ${[...open].join(', ')}`) : undefined;
}

/** Returns what is wrong with a chat request; undefined if nothing is. */
export function checkChat(body: Record<string, unknown>): Refusal | undefined {
  const { model, messages, tools } = body;
  if (typeof model !== 'string' || model === '') return bad('you must provide a model parameter');
  if (!Array.isArray(messages) || messages.length === 0) return bad("'messages' must be an array with at least 1 item");
  for (const [index, message] of messages.entries()) {
    if (!ROLES.has(message?.role)) return bad(`invalid value for 'messages[${index}].role'`);
    const hasText = typeof message.content === 'string' || Array.isArray(message.content);
    if (!hasText && !message.tool_calls) return bad(`invalid value for 'messages[${index}].content': got null`);
  }
  if (tools !== undefined && !Array.isArray(tools)) return bad("'tools' must be an array");
  for (const tool of tools ?? []) {
    if (!TOOL_NAME.test(tool?.function?.name ?? '')) return bad(`invalid tool name '${tool?.function?.name}'`);
    const wrong = wrongSchema(tool?.function?.parameters ?? { type: 'object' });
    if (wrong !== undefined) return bad(`Invalid schema for function '${tool.function.name}': ${wrong}`);
  }
  return checkToolOrder(messages);
}

/** Returns a checked body as tests read it. */
export function describe(
  body: Record<string, unknown>,
  n: number,
  bytes: number,
  authorization: string,
  read = readChat(body),
): LlmRequest {
  const { messages, system, tools } = read;
  let last = messages.length - 1;
  while (last > 0 && messages[last]?.role !== 'user') last -= 1;
  return {
    n,
    model: String(body.model),
    stream: body.stream === true,
    bytes,
    authorization,
    system,
    lastUser: textOf(messages[last]?.content),
    toolResults: messages.slice(last).flatMap((m) => (m.role === 'tool' ? [textOf(m.content)] : [])),
    tools,
    messages,
    body,
    at: Date.now(),
    outcome: 'open',
  };
}

function readChat(body: Record<string, unknown>): { system: string; messages: WireMessage[]; tools: string[] } {
  const messages = body.messages as WireMessage[];
  const tools = (body.tools ?? []) as { function: { name: string } }[];
  const system = messages.flatMap((message) => (message.role === 'system' ? [textOf(message.content)] : []));
  return { system: system.join('\n'), messages, tools: tools.map((tool) => tool.function.name) };
}
