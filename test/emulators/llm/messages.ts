/**
 * Anthropic's Messages: what it refuses in a history (IDs, other models' thoughts, results without calls), its stream
 * of blocks, and its prompt cache.
 * Source: platform.claude.com/docs/en/api/messages, .../build-with-claude/extended-thinking
 */
import { blocksOf, type CacheUse } from './cache.ts';
import { isSealed, seal } from './sealed.ts';
import type { LlmRequest, Turn, WireMessage } from './turn.ts';

type Fields = Record<string, unknown>;
interface Message {
  role: string;
  content: string | Fields[];
}

const contentOf = ({ content }: Message): Fields[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content;

/** Returns what is wrong with a request; undefined if nothing is. */
export function checkMessages(body: Fields): string | undefined {
  const messages = body.messages as Message[];
  if (typeof body.max_tokens !== 'number') return 'max_tokens: Field required';
  if (!Array.isArray(messages) || messages.length === 0) return 'messages: at least one message is required';
  for (const tool of (body.tools ?? []) as { name: string }[])
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(tool.name))
      return `tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`;
  let open: string[] = [];
  for (const [at, message] of messages.entries()) {
    const content = contentOf(message);
    if (content.length === 0) return `messages.${at}: all messages must have non-empty content`;
    const isLast = at === messages.length - 2 && content.some(({ type }) => type === 'tool_use');
    if (isLast && thinksInBudget(body) && !/thinking$/.test(String(content[0]?.type)))
      return `messages.${at}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${content[0]?.type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`;
    const answered = content.filter(({ type }) => type === 'tool_result').map((block) => String(block.tool_use_id));
    const missing = open.find((id) => !answered.includes(id));
    if (missing !== undefined)
      return `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing}`;
    const stray = answered.find((id) => !open.includes(id));
    if (stray !== undefined)
      return `messages.${at}.content.0: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stray}`;
    for (const [n, block] of content.entries()) {
      const wrong = wrongBlock(block, String(body.model));
      if (wrong !== undefined) return `messages.${at}.content.${n}${wrong}`;
    }
    open = content.filter(({ type }) => type === 'tool_use').map((block) => String(block.id));
  }
  return open.length > 0 ? '`tool_use` ids were found without `tool_result` blocks' : undefined;
}

const thinksInBudget = ({ thinking }: Fields): boolean =>
  typeof thinking === 'object' && thinking !== null && Reflect.get(thinking, 'type') === 'enabled';

function wrongBlock(block: Fields, model: string): string | undefined {
  if (block.type === 'text' && String(block.text ?? '').trim() === '') return ': text content blocks must be non-empty';
  if (block.type === 'tool_use' && !/^[a-zA-Z0-9_-]+$/.test(String(block.id)))
    return `.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`;
  if (block.type === 'thinking' && !isSealed(block.signature, model, String(block.thinking)))
    return ': Invalid `signature` in `thinking` block';
  return undefined;
}

/** Converts a request to the form that tests read. */
export function readMessages(body: Fields): { system: string; messages: WireMessage[]; tools: string[] } {
  const messages = (body.messages as Message[]).flatMap((message): WireMessage[] => {
    const content = contentOf(message);
    const results = content.filter(({ type }) => type === 'tool_result');
    const rest = content.filter(({ type }) => type !== 'tool_result');
    return [
      ...results.map((block) => ({ role: 'tool', content: block.content, tool_call_id: String(block.tool_use_id) })),
      // The library joins consecutive messages of one side.
      ...(message.role === 'user'
        ? rest.map((block) => ({ role: 'user', content: [block] }))
        : [{ role: message.role, content: rest }]),
    ];
  });
  const system = blocksOf({ system: body.system }).map((block) => String(block.text));
  return {
    system: system.join('\n'),
    messages,
    tools: ((body.tools ?? []) as { name: string }[]).map(({ name }) => name),
  };
}

const STOPS: Readonly<Record<string, string>> = { length: 'max_tokens', tool_calls: 'tool_use', stop: 'end_turn' };

/** Returns the events of a turn as data. */
export function messageEvents(turn: Turn, request: LlmRequest, cache: CacheUse): Fields[] {
  const blocks: { start: Fields; deltas: Fields[] }[] = [];
  if (turn.reasoning !== undefined)
    blocks.push({
      start: { type: 'thinking', thinking: '', signature: '' },
      deltas: [
        { type: 'thinking_delta', thinking: turn.reasoning },
        { type: 'signature_delta', signature: seal(request.model, turn.reasoning) },
      ],
    });
  for (const start of turn.blocks ?? []) blocks.push({ start, deltas: [] });
  const texts = turn.chunks ?? (turn.text ? [turn.text] : []);
  if (texts.length > 0)
    blocks.push({ start: { type: 'text', text: '' }, deltas: texts.map((text) => ({ type: 'text_delta', text })) });
  for (const [n, call] of (turn.toolCalls ?? []).entries()) {
    const json = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments ?? {});
    const middle = Math.floor(json.length / 2);
    blocks.push({
      start: { type: 'tool_use', id: call.id ?? `toolu_${request.n}_${n}`, name: call.name, input: {} },
      deltas: ['', json.slice(0, middle), json.slice(middle)].map((partial_json) => ({
        type: 'input_json_delta',
        partial_json,
      })),
    });
  }
  const finish = turn.finish ?? (turn.toolCalls?.length ? 'tool_calls' : 'stop');
  const message = { id: `msg_${request.n}`, type: 'message', role: 'assistant', model: request.model, content: [] };
  // biome-ignore format: a row is a line
  return [
    { type: 'message_start', message: { ...message, stop_reason: null, stop_sequence: null, usage: { ...cache, output_tokens: 1 } } },
    ...blocks.flatMap(({ start, deltas }, index) => [
      { type: 'content_block_start', index, content_block: start },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: STOPS[finish] ?? finish, stop_sequence: null }, usage: { output_tokens: 5 } },
    { type: 'message_stop' },
  ];
}
