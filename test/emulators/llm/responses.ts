/**
 * OpenAI's Responses: what it refuses in a history (long IDs, other models' thoughts, results without calls) and its
 * stream of items.
 * Source: platform.openai.com/docs/api-reference/responses
 */
import { isSealed, seal } from './sealed.ts';
import type { LlmRequest, Turn, WireMessage } from './turn.ts';

type Fields = Record<string, unknown>;

export function checkResponses(body: Fields): { message: string; code?: string } | undefined {
  const input = body.input as Fields[];
  const open = new Set<string>();
  for (const tool of (body.tools ?? []) as Fields[])
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(String(tool.name)))
      return { message: `Invalid 'tools[0].name': string does not match pattern.` };
  for (const [at, item] of input.entries()) {
    const id = item.call_id;
    if (typeof id === 'string' && id.length > 64)
      return { message: `Invalid 'input[${at}].call_id': string too long. Expected a string with maximum length 64.` };
    if (item.type === 'function_call') open.add(String(id));
    if (item.type === 'function_call_output' && !open.delete(String(id)))
      return { message: `No tool call found for function call output with call_id ${id}.` };
    if (item.type === 'reasoning' && !isSealed(item.encrypted_content, String(body.model), ''))
      return {
        message: `The encrypted content for item ${item.id} could not be verified.`,
        code: 'invalid_encrypted_content',
      };
    if (item.type === 'item_reference')
      return {
        message: `Item with id '${item.id}' not found. Items are not persisted when \`store\` is set to false.`,
      };
  }
  const [unanswered] = open;
  return unanswered === undefined ? undefined : { message: `No tool output found for function call ${unanswered}.` };
}

export function readResponses(body: Fields): { system: string; messages: WireMessage[]; tools: string[] } {
  const messages = (body.input as Fields[]).map((item): WireMessage => {
    if (item.type === 'function_call_output')
      return { role: 'tool', content: item.output, tool_call_id: String(item.call_id) };
    if (typeof item.role !== 'string') return { role: 'assistant', content: [item] };
    return { role: item.role, content: item.content };
  });
  const system = messages.filter(({ role }) => role === 'system' || role === 'developer');
  return {
    system: system.map(({ content }) => String(content)).join('\n'),
    messages,
    tools: ((body.tools ?? []) as { name: string }[]).map(({ name }) => name),
  };
}

export function responseEvents(turn: Turn, request: LlmRequest): Fields[] {
  const items: { item: Fields; between: Fields[] }[] = [];
  const { n, model } = request;
  if (turn.reasoning !== undefined) {
    const id = `rs_${n}`;
    items.push({
      item: {
        type: 'reasoning',
        id,
        encrypted_content: seal(model, ''),
        summary: [{ type: 'summary_text', text: turn.reasoning }],
      },
      between: [
        { type: 'response.reasoning_summary_part.added', item_id: id, summary_index: 0 },
        { type: 'response.reasoning_summary_text.delta', item_id: id, summary_index: 0, delta: turn.reasoning },
      ],
    });
  }
  const texts = turn.chunks ?? (turn.text ? [turn.text] : []);
  if (texts.length > 0)
    items.push({
      item: { type: 'message', id: `msg_${n}`, role: 'assistant', content: [] },
      between: texts.map((delta) => ({ type: 'response.output_text.delta', item_id: `msg_${n}`, delta })),
    });
  for (const [at, call] of (turn.toolCalls ?? []).entries()) {
    const text = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments ?? {});
    const one = { type: 'function_call', id: `fc_${n}_${at}`, call_id: call.id ?? `call_${n}_${at}`, name: call.name };
    items.push({
      item: { ...one, arguments: text, status: 'completed' },
      between: [{ type: 'response.function_call_arguments.delta', item_id: one.id, delta: text }],
    });
  }
  const isCut = turn.finish === 'length';
  const usage = {
    input_tokens: 10,
    output_tokens: 5,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens_details: { reasoning_tokens: 0 },
  };
  return [
    { type: 'response.created', response: { id: `resp_${n}`, created_at: 1_700_000_000, model } },
    ...items.flatMap(({ item, between }, index) => {
      const begun = item.type === 'function_call' ? { ...item, arguments: '' } : item;
      // An item that the limit cut off is never reported as done.
      const isOpen = isCut && index === items.length - 1 && item.type === 'function_call';
      return [
        { type: 'response.output_item.added', output_index: index, item: begun },
        ...between.map((event) => ({ output_index: index, ...event })),
        ...(isOpen ? [] : [{ type: 'response.output_item.done', output_index: index, item }]),
      ];
    }),
    isCut
      ? { type: 'response.incomplete', response: { incomplete_details: { reason: 'max_output_tokens' }, usage } }
      : { type: 'response.completed', response: { usage } },
  ];
}
