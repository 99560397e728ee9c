/**
 * Streams an answer: the caller gets the whole answer once it has ended, and a listener gets each piece of text.
 * Invariants: without a finish event there is no answer (promise 9); a tool call is passed on only when its input is
 * complete; a model that hangs or ignores an abort cannot block the caller.
 */
import { isJson } from '../../lib/json.ts';
import type { CallOptions, GenerateResult, ModelV4, StreamPart } from '../contract/model.ts';
import { cutOff, endedEarly, endless, RunError, tooSlow, webPage } from '../contract/run-error.ts';
import { isWebPage } from '../contract/web-page.ts';
import { EndlessError } from './provider-fetch.ts';

interface StreamedOptions {
  /** The model's name for people. */
  name: string;
  /** The limits in ms until the first piece of text, reasoning or a tool call, and between two parts after that. */
  limits: { firstToken: number; idle: number };
  onText(delta: string): void;
  /** Holds the number of characters that have arrived: text, reasoning and calls. */
  arrived?: { characters: number };
}

/**
 * The connection is closed before it rejects.
 * @throws RunError, the reason of the call's signal, or the provider's error
 */
export async function streamed(
  model: ModelV4,
  options: CallOptions,
  { name, limits, onText, arrived }: StreamedOptions,
): Promise<GenerateResult> {
  const outer = options.abortSignal;
  outer?.throwIfAborted();
  const call = new AbortController();
  const onAbort = () => call.abort(outer?.reason);
  outer?.addEventListener('abort', onAbort, { once: true });
  const answer = new Answer(name, onText);
  const timer = createTimer(name, limits, call);
  const orAbort = waiter(call.signal);
  let reader: ReadableStreamDefaultReader<StreamPart> | undefined;
  try {
    const { stream } = await orAbort(model.doStream({ ...options, abortSignal: call.signal }));
    reader = stream.getReader();
    for (;;) {
      const { done, value: part } = await orAbort(reader.read());
      if (done) return answer.finish();
      if (part.type === 'error') throw new ErrorEvent(part.error);
      answer.take(part);
      if (arrived) arrived.characters = answer.size;
      timer.seen(answer.size > 0);
    }
  } catch (thrown) {
    const error = call.signal.aborted ? call.signal.reason : meaningOf(thrown, reader && answer, name);
    call.abort(error);
    // The outcome is decided; how the abandoned stream ends does not matter.
    reader?.cancel().catch(() => undefined);
    throw error;
  } finally {
    timer.stop();
    outer?.removeEventListener('abort', onAbort);
  }
}

/**
 * Waits for one promise at a time, or for the abort. A race for each part would retain all of them until the end of the
 * stream.
 */
function waiter(signal: AbortSignal): <T>(work: PromiseLike<T>) => Promise<T> {
  let give = (_reason: unknown): void => undefined;
  signal.addEventListener('abort', () => give(signal.reason), { once: true });
  return (work) =>
    new Promise((resolve, reject) => {
      give = reject;
      work.then(resolve, reject);
      if (signal.aborted) reject(signal.reason);
    });
}

/** An error that the provider reported inside its stream, as opposed to a break of the stream itself. */
class ErrorEvent extends Error {
  override name = 'ErrorEvent';
  readonly event: unknown;
  constructor(event: unknown) {
    super('error event');
    this.event = event;
  }
}

/** @param answer what has arrived, once the stream has begun */
function meaningOf(thrown: unknown, answer: Answer | undefined, name: string): unknown {
  const error = thrown instanceof ErrorEvent ? thrown.event : thrown;
  const found = endlessIn(error);
  if (found) return endless(name, found.message);
  if (isWebPage(error)) return webPage(name);
  return answer ? streamError(thrown, answer, name) : thrown;
}

/** The SDK passes on the error of its fetch as a cause. */
function endlessIn(thrown: unknown): EndlessError | undefined {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 6; error = error.cause, depth += 1)
    if (error instanceof EndlessError) return error;
  return undefined;
}

function streamError(thrown: unknown, answer: Answer, name: string): unknown {
  if (thrown instanceof RunError) return thrown;
  if (!(thrown instanceof ErrorEvent)) return cutOff(name, answer.size > 0, thrown);
  const { event } = thrown;
  // The SDK's own errors in the stream mean that a piece was unreadable, or that the end is missing.
  const unreadable = event instanceof Error && event.name.startsWith('AI_') && !('statusCode' in event);
  return unreadable ? cutOff(name, answer.size > 0) : event;
}

/** Limits the wait for the first token, then for each next part, with one timer that is refreshed. */
function createTimer(name: string, { firstToken, idle }: StreamedOptions['limits'], call: AbortController) {
  let begun = false;
  let timer = setTimeout(() => call.abort(tooSlow(name, 'first', firstToken)), firstToken);
  return {
    seen(received: boolean) {
      if (begun) timer.refresh();
      else if (received) {
        begun = true;
        clearTimeout(timer);
        timer = setTimeout(() => call.abort(tooSlow(name, 'idle', idle)), idle);
      }
    },
    stop: () => clearTimeout(timer),
  };
}

type Content = GenerateResult['content'][number];
type Block = Extract<Content, { type: 'text' | 'reasoning' }>;
type FinishPart = Extract<StreamPart, { type: 'finish' }>;

/**
 * Limits in characters for one answer (`MAX_ANSWER`), and for its text, its reasoning and the arguments of each call
 * (`MAX_PIECE`). No model answers at this length; a longer stream is a fault.
 */
const MAX_ANSWER = 2_000_000;
const MAX_PIECE = 1_000_000;
/** Characters kept of a call's arguments that the limit of the answer has cut. */
const KEPT_OF_CUT = 500;
const MAX_CALLS = 100;
// Names that some servers use for a complete answer. Any other unknown reason means that the answer broke off, unless
// it ends with a complete call: such servers have their own names for that too.
const COMPLETE = /^(eos|eos_token|end|end_turn|stop|stop_sequence|completed?)$/i;
const AT_LIMIT = /^(length|max_?length|model_length|(max|limit)_?((output|new|completion)_?)?tokens?)$/i;
const WITHHELD = /^(content_?filter(ed)?|safety|prohibited_content|recitation)$/i;
const BROKEN = /abort|cancel|error|fail|filter|insufficient|interrupt|length|limit|safety|timeout|truncat/i;

/** Assembles the parts of one model's stream. Pure, never waits. */
export class Answer {
  readonly #name: string;
  readonly #onText: (delta: string) => void;
  readonly #content: Content[] = [];
  readonly #blocks = new Map<string, Block>();
  /** Calls whose arguments are still arriving, by ID. */
  readonly #openInputs = new Map<string, { tool: string; length: number; start: string }>();
  readonly #said = { text: 0, reasoning: 0 };
  #response: GenerateResult['response'];
  #end: FinishPart | undefined;
  /** The number of characters received. */
  size = 0;
  #calls = 0;

  constructor(name: string, onText: (delta: string) => void) {
    this.#name = name;
    this.#onText = onText;
  }

  take(part: StreamPart): void {
    switch (part.type) {
      case 'text-start':
      case 'text-end':
        this.#block('text', part.id, part.providerMetadata);
        break;
      case 'text-delta':
        this.#block('text', part.id, part.providerMetadata, part.delta);
        if (part.delta) this.#onText(part.delta);
        break;
      case 'reasoning-start':
      case 'reasoning-end':
        this.#block('reasoning', part.id, part.providerMetadata);
        break;
      case 'reasoning-delta':
        this.#block('reasoning', part.id, part.providerMetadata, part.delta);
        break;
      case 'tool-input-start':
        this.#openInputs.set(part.id, { tool: part.toolName, length: 0, start: '' });
        this.#grow(1);
        break;
      case 'tool-input-delta': {
        const open = this.#openInputs.get(part.id);
        if (open) {
          open.length += part.delta.length;
          if (open.start.length < KEPT_OF_CUT) open.start += part.delta;
        }
        this.#grow(part.delta.length, open?.length);
        break;
      }
      case 'tool-call':
        this.#content.push(part);
        this.#grow(this.#openInputs.delete(part.toolCallId) ? 1 : part.input.length + 1, part.input.length, 1);
        break;
      case 'response-metadata':
        this.#response = {
          ...this.#response,
          ...(part.id && { id: part.id }),
          ...(part.modelId && { modelId: part.modelId }),
        };
        break;
      case 'finish':
        this.#end = part;
        break;
      case 'file':
      case 'source':
      case 'tool-result':
      case 'custom':
      case 'reasoning-file':
        this.#content.push(part);
        this.#grow(JSON.stringify(part).length);
        break;
      default:
        // stream-start, ping, raw and tool-input-end carry nothing to keep.
        break;
    }
  }

  /**
   * Returns the complete answer.
   * @throws RunError `cut-off` if the finish event or the end of a tool call is missing, or if the answer is incomplete
   */
  finish(): GenerateResult {
    const end = this.#end;
    const hasBegun = this.size > 0;
    if (!end) throw cutOff(this.#name, hasBegun);
    const { usage, finishReason, providerMetadata } = end;
    const isCut = finishReason.unified === 'length' || AT_LIMIT.test(finishReason.raw ?? '');
    if (this.#openInputs.size > 0 && !isCut) throw cutOff(this.#name, hasBegun);
    const cut = [...this.#openInputs].map(
      ([toolCallId, { tool, start }]): Content => ({ type: 'tool-call', toolCallId, toolName: tool, input: start }),
    );
    const content = [...this.#content, ...cut];
    const unified = finishReason.unified === 'other' ? readReason(finishReason.raw, content) : finishReason.unified;
    // A reader that never saw the end reports that in its own finish event.
    if (unified === 'other' && finishReason.raw === undefined) throw cutOff(this.#name, hasBegun);
    if (unified === 'error' || unified === 'other' || unified === 'interrupted')
      throw endedEarly(this.#name, finishReason.raw);
    const response = this.#response;
    return {
      content: content.filter((part) => part.type !== 'text' || part.text !== '' || part.providerMetadata),
      finishReason: { unified, raw: finishReason.raw },
      usage,
      ...(providerMetadata && { providerMetadata }),
      ...(response && { response }),
      warnings: [],
    };
  }

  #grow(length: number, piece = 0, call = 0): void {
    this.size += length;
    this.#calls += call;
    if (this.size > MAX_ANSWER || piece > MAX_PIECE || this.#calls > MAX_CALLS)
      throw endless(this.#name, `${this.size} characters, ${piece} of them in one piece, ${this.#calls} calls`);
  }

  #block(type: Block['type'], id: string, metadata: Block['providerMetadata'], delta = ''): void {
    const key = `${type} ${id}`;
    const current: Block = this.#blocks.get(key) ?? { type, text: '' };
    if (!this.#blocks.has(key)) this.#content.push(current);
    this.#blocks.set(key, current);
    current.text += delta;
    if (metadata) current.providerMetadata = metadata;
    this.#said[type] += delta.length;
    this.#grow(delta.length, this.#said[type]);
  }
}

/** Interprets a finish reason that isn't one of the common ones. */
function readReason(raw = '', content: readonly Content[]): FinishPart['finishReason']['unified'] {
  if (COMPLETE.test(raw)) return 'stop';
  if (AT_LIMIT.test(raw)) return 'length';
  if (WITHHELD.test(raw)) return 'content-filter';
  const calls = content.filter((part) => part.type === 'tool-call');
  const isComplete = calls.length > 0 && calls.every(({ input }) => isJson(input));
  return isComplete && raw !== '' && !BROKEN.test(raw) ? 'tool-calls' : 'other';
}
