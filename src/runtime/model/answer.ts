/** The parts of one model's stream put together: pure, no waiting. */

import { isJson } from '../../lib/json.ts';
import type { GenerateResult, StreamPart } from '../contract/model.ts';
import { cutOff, endless } from '../contract/run-error.ts';

export interface Answer {
  take(part: StreamPart): void;
  /** Whether text, reasoning or a tool call has begun. */
  received(): boolean;
  /** The whole answer. Throws RunError `cut-off` when the finish event or the end of a tool call is missing. */
  finish(): GenerateResult;
}

type Content = GenerateResult['content'][number];
type Block = Extract<Content, { type: 'text' | 'reasoning' }>;
type FinishPart = Extract<StreamPart, { type: 'finish' }>;

/**
 * Characters of one answer, and of its text, its reasoning and the arguments of each call alone. No model answers at this length;
 * a stream that goes on past it is a fault.
 */
const MAX_ANSWER = 2_000_000;
const MAX_PIECE = 1_000_000;
/** Tool calls of one answer. */
const MAX_CALLS = 100;
// Names some servers have for a complete answer. Any other unknown reason counts as broken off, but after a call that is complete:
// such servers have a name of their own for those.
const COMPLETE = /^(eos|eos_token|end|end_turn|stop_sequence|completed?)$/i;
const BROKEN = /abort|cancel|error|fail|filter|insufficient|interrupt|length|limit|safety|timeout|truncat/i;

/** `name` is the model's, for errors; `onText` gets each piece of text at once. */
export function createAnswer(name: string, onText: (delta: string) => void): Answer {
  const content: Content[] = [];
  const blocks = new Map<string, Block>();
  /** Characters of arguments that are still coming, by the call's id. */
  const openInputs = new Map<string, number>();
  const said = { text: 0, reasoning: 0 };
  let response: GenerateResult['response'];
  let end: FinishPart | undefined;
  let size = 0;
  let calls = 0;

  function grow(length: number, piece = 0, call = 0): void {
    size += length;
    calls += call;
    if (size > MAX_ANSWER || piece > MAX_PIECE || calls > MAX_CALLS)
      throw endless(name, `${size} characters, ${piece} of them in one piece, ${calls} calls`);
  }

  function block(type: Block['type'], id: string, metadata: Block['providerMetadata'], delta = ''): void {
    const key = `${type} ${id}`;
    const current: Block = blocks.get(key) ?? { type, text: '' };
    if (!blocks.has(key)) content.push(current);
    blocks.set(key, current);
    current.text += delta;
    if (metadata) current.providerMetadata = metadata;
    said[type] += delta.length;
    grow(delta.length, said[type]);
  }

  function take(part: StreamPart): void {
    switch (part.type) {
      case 'text-start':
      case 'text-end':
        block('text', part.id, part.providerMetadata);
        break;
      case 'text-delta':
        block('text', part.id, part.providerMetadata, part.delta);
        if (part.delta) onText(part.delta);
        break;
      case 'reasoning-start':
      case 'reasoning-end':
        block('reasoning', part.id, part.providerMetadata);
        break;
      case 'reasoning-delta':
        block('reasoning', part.id, part.providerMetadata, part.delta);
        break;
      case 'tool-input-start':
        openInputs.set(part.id, 0);
        grow(1);
        break;
      case 'tool-input-delta': {
        const length = (openInputs.get(part.id) ?? 0) + part.delta.length;
        if (openInputs.has(part.id)) openInputs.set(part.id, length);
        grow(part.delta.length, length);
        break;
      }
      case 'tool-call':
        content.push(part);
        grow(openInputs.delete(part.toolCallId) ? 1 : part.input.length + 1, part.input.length, 1);
        break;
      case 'response-metadata':
        response = { ...response, ...(part.id && { id: part.id }), ...(part.modelId && { modelId: part.modelId }) };
        break;
      case 'finish':
        end = part;
        break;
      case 'file':
      case 'source':
      case 'tool-result':
      case 'custom':
      case 'reasoning-file':
        content.push(part);
        grow(JSON.stringify(part).length);
        break;
      default:
        // stream-start, ping, raw and tool-input-end say nothing that is kept.
        break;
    }
  }

  return {
    take,
    received: () => size > 0,
    finish() {
      if (!end || openInputs.size > 0) throw cutOff(name, size > 0);
      const { usage, finishReason, providerMetadata } = end;
      const unified = finishReason.unified === 'other' ? reasonOf(finishReason.raw, content) : finishReason.unified;
      if (unified === 'error' || unified === 'other' || unified === 'interrupted') throw cutOff(name, size > 0);
      const kept = content.filter((part) => part.type !== 'text' || part.text !== '' || part.providerMetadata);
      return {
        content: kept,
        finishReason: { unified, raw: finishReason.raw },
        usage,
        ...(providerMetadata && { providerMetadata }),
        ...(response && { response }),
        warnings: [],
      };
    },
  };
}

/** What a reason means that is not one of those which providers have in common. */
function reasonOf(raw = '', content: readonly Content[]): FinishPart['finishReason']['unified'] {
  if (COMPLETE.test(raw)) return 'stop';
  const calls = content.filter((part) => part.type === 'tool-call');
  const isComplete = calls.length > 0 && calls.every(({ input }) => isJson(input));
  return isComplete && raw !== '' && !BROKEN.test(raw) ? 'tool-calls' : 'other';
}
