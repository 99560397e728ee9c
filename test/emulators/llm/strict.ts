/**
 * What single providers refuse that others accept, in their own words: Chat Completions as Groq, Mistral, Cerebras,
 * Moonshot, DeepSeek and OpenAI read it.
 * Sources: console.groq.com/docs/openai, docs.mistral.ai/api,
 * platform.moonshot.ai/docs/guide/use-kimi-k2-thinking-model, api-docs.deepseek.com/guides/thinking_mode, and answers
 * of their endpoints.
 */
import type { Refusal } from './request.ts';
import type { WireMessage } from './turn.ts';

export type Strictness =
  | 'groq'
  | 'mistral'
  | 'cerebras'
  | 'moonshot'
  | 'deepseek'
  | 'openai'
  | 'openrouter'
  | 'alternating';

type Fields = Record<string, unknown>;
type Rule = (message: WireMessage & Fields, index: number, body: Fields) => Refusal | undefined;

const refuse = (message: string, status = 400, code: string | null = null): Refusal => ({
  ...{ status, message, type: 'invalid_request_error', code },
});
const THOUGHTS = ['reasoning_content', 'reasoning', 'reasoning_details'];
const KNOWN = new Set(['role', 'content', 'name', 'tool_calls', 'tool_call_id', 'prefix', 'refusal', 'reasoning']);

const idsOf = (message: WireMessage): string[] => [
  ...(message.tool_calls ?? []).map(({ id }) => id),
  ...(message.tool_call_id === undefined ? [] : [message.tool_call_id]),
];

const thinks = ({ thinking }: Fields): boolean =>
  !(typeof thinking === 'object' && thinking !== null && Reflect.get(thinking, 'type') === 'disabled');

const lacksThoughts = (message: WireMessage & Fields, body: Fields): boolean =>
  message.role === 'assistant' && (message.tool_calls?.length ?? 0) > 0 && thinks(body) && !message.reasoning_content;

/** Returns the previous message that chat templates consider. */
const roleBefore = (index: number, { messages }: Fields): string | undefined =>
  (messages as WireMessage[])[index - 1]?.role;

const RULES: Readonly<Record<Strictness, Rule>> = {
  groq(message, index) {
    const unknown = Object.keys(message).find((key) => !KNOWN.has(key));
    if (unknown === undefined) return undefined;
    return refuse(
      `'messages.${index}' : for 'role:${message.role}' the following must be satisfied[('messages.${index}' : property '${unknown}' is unsupported)]`,
    );
  },
  cerebras(message, index) {
    const found = THOUGHTS.find((key) => key in message);
    const path = `messages.${index}.${message.role}.${found}`;
    return found === undefined
      ? undefined
      : refuse(`${path}: property '${path}' is unsupported`, 400, 'wrong_api_format');
  },
  // As Gemini behind it requires: a call must come back with the block that was written with it.
  openrouter(message, _index, body) {
    const details = Array.isArray(message.reasoning_details) ? message.reasoning_details : [];
    const isSealed = details.some((detail) =>
      String(Reflect.get(Object(detail), 'data')).startsWith(`seal of ${body.model}`),
    );
    if (details.length > 0 && !isSealed) return refuse('Corrupted thought signature.');
    if (message.role !== 'assistant' || !message.tool_calls?.length || isSealed) return undefined;
    return refuse('Function call is missing a thought_signature in functionCall parts.');
  },
  // As the template of a model on llama.cpp or vLLM requires.
  alternating(message, index, body) {
    const before = roleBefore(index, body);
    if (message.role !== 'user' || (before !== 'user' && before !== 'tool')) return undefined;
    return refuse(
      'After the optional system message, conversation roles must alternate user/assistant/user/assistant/...',
    );
  },
  mistral(message, index, body) {
    if (message.role === 'user' && roleBefore(index, body) === 'tool')
      return refuse("Unexpected role 'user' after role 'tool'", 400, '3230');
    const found = THOUGHTS.find((key) => key in message);
    if (found !== undefined) {
      const loc = ['body', 'messages', index, message.role, found];
      return {
        ...refuse('', 422),
        detail: [{ type: 'extra_forbidden', loc, msg: 'Extra inputs are not permitted', input: message[found] }],
      };
    }
    const wrong = idsOf(message).find((id) => !/^[A-Za-z0-9]{9}$/.test(id));
    if (wrong === undefined) return undefined;
    return refuse(`Tool call id was ${wrong} but must be a-z, A-Z, 0-9, with a length of 9.`, 400, '3280');
  },
  moonshot: (message, index, body) =>
    lacksThoughts(message, body)
      ? refuse(`thinking is enabled but reasoning_content is missing in assistant tool call message at index ${index}`)
      : undefined,
  deepseek: (message, _index, body) =>
    lacksThoughts(message, body)
      ? refuse(
          'The `reasoning_content` in the thinking mode must be passed back to the API.',
          400,
          'invalid_request_error',
        )
      : undefined,
  openai(message, index) {
    const wrong = idsOf(message).find((id) => id.length > 40);
    if (wrong === undefined) return undefined;
    const where = `messages[${index}].tool_calls[0].id`;
    return refuse(
      `Invalid '${where}': string too long. Expected a string with maximum length 40, but got a string with length ${wrong.length} instead.`,
      400,
      'string_above_max_length',
    );
  },
};

/** Returns what the provider refuses in the messages of a request; undefined if nothing is wrong. */
export function checkAs(strictness: Strictness, body: Fields): Refusal | undefined {
  const messages = body.messages as (WireMessage & Fields)[];
  for (const [index, message] of messages.entries()) {
    const refusal = RULES[strictness](message, index, body);
    if (refusal) return refusal;
  }
  // Moonshot's names must begin with a letter.
  const tools = (body.tools ?? []) as { function: { name: string } }[];
  const odd = strictness === 'moonshot' && tools.find((tool) => !/^[A-Za-z]/.test(tool.function.name));
  return odd
    ? refuse(
        'Invalid request: function name is invalid, must start with a letter and can contain letters, numbers, underscores, and dashes',
      )
    : undefined;
}
