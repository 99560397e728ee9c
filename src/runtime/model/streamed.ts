/**
 * A middleware that streams: the caller gets the whole answer once it has ended, and a listener gets each piece.
 * Invariants: without a finish event there is no answer (promise 9); a tool call is passed on only when its input is
 * complete; a model that hangs or ignores an abort cannot block the caller.
 */
import type { LanguageModelMiddleware } from 'ai';
import type { CallOptions, GenerateResult, ModelV4, StreamPart } from '../contract/model.ts';
import { cutOff, endless, RunError, tooSlow } from '../contract/run-error.ts';
import { Answer } from './answer.ts';
import { EndlessError } from './provider-fetch.ts';

export interface StreamedOptions {
  /** The model's name for people. */
  name: string;
  /** The limits in ms until the first piece of text, reasoning or a tool call, and between two parts after that. */
  limits: { firstToken: number; idle: number };
  onText(delta: string): void;
  /** Reports how many characters have arrived. */
  onSize?(characters: number): void;
}

/**
 * Fails with a RunError, the reason of the call's signal, or the provider's error. The connection is closed before
 * that.
 */
export const streamed = (options: StreamedOptions): LanguageModelMiddleware => ({
  specificationVersion: 'v4',
  wrapGenerate: ({ model, params }) => collect(model, params, options),
});

async function collect(
  model: ModelV4,
  options: CallOptions,
  { name, limits, onText, onSize }: StreamedOptions,
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
      onSize?.(answer.size());
      timer.seen(answer.received());
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
  const found = endlessIn(thrown instanceof ErrorEvent ? thrown.event : thrown);
  if (found) return endless(name, found.message);
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
  if (!(thrown instanceof ErrorEvent)) return cutOff(name, answer.received(), thrown);
  const { event } = thrown;
  // The SDK's own errors in the stream mean that a piece was unreadable, or that the end is missing.
  const unreadable = event instanceof Error && event.name.startsWith('AI_') && !('statusCode' in event);
  return unreadable ? cutOff(name, answer.received()) : event;
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
