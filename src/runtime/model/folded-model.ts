/**
 * Chat Completions without the provider's chain of stream transformers, with which a whole message costs two fifths more
 * CPU when its answer comes in 200 pieces. Our fetch reads the events, tells plain text at once, and gives the provider
 * what is left as one JSON body to map. From the first event that holds more (a tool call, a list of parts) the provider
 * gets the events themselves when all are there: how servers cut a tool call into pieces is its trade. Invariant: no
 * finish part without a finish reason.
 */

import type { CallOptions, GenerateResult, ModelV4, StreamPart } from '../contract/model.ts';
import { createEventReader, createFold } from './fold.ts';
import { brokeOff, EVENTS, type Incoming, isEvents, type Post, toResponse } from './http-fetch.ts';

/** One call while it goes on. */
interface Call {
  tell(part: StreamPart): void;
  /** A stream of events has come: what happens from now on happens within it. */
  begin(): void;
  /** Events that are the provider's to read. */
  rest?: string;
}

export interface Folding {
  fetch: typeof fetch;
  /** `inner` sends its requests through `fetch`, and asks for a stream in every one of them. */
  wrap(inner: ModelV4): ModelV4;
}

export function createFolding(post: Post): Folding {
  // The provider hands the signal on as it is, so it tells which call a request belongs to.
  const calls = new WeakMap<AbortSignal, Call>();

  async function foldingFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
    const call = init?.signal ? calls.get(init.signal) : undefined;
    if (call?.rest !== undefined) return new Response(call.rest, { headers: { 'content-type': EVENTS } });
    const incoming = await post(input, init);
    if (!call || incoming.status !== 200 || !isEvents(incoming.message)) return toResponse(incoming);
    call.begin();
    const { json, rest } = await readAnswer(incoming, call.tell);
    if (rest !== '') call.rest = rest;
    return new Response(json, { headers: { 'content-type': 'application/json' } });
  }

  async function answer(inner: ModelV4, options: CallOptions, call: Call): Promise<void> {
    const result = await inner.doGenerate(options);
    if (call.rest === undefined) return tellEnd(result, call.tell);
    const { stream } = await inner.doStream(options);
    for await (const part of stream) call.tell(part);
  }

  return {
    fetch: foldingFetch,
    wrap: (inner) => ({
      specificationVersion: 'v4',
      provider: inner.provider,
      modelId: inner.modelId,
      supportedUrls: inner.supportedUrls,
      doGenerate: () => Promise.reject(new Error('this model is only asked for streams')),
      doStream(given) {
        const abortSignal = given.abortSignal ?? new AbortController().signal;
        const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<ModelV4['doStream']>>>();
        const stream = new ReadableStream<StreamPart>({
          start(controller) {
            const call: Call = { tell: (part) => controller.enqueue(part), begin: () => resolve({ stream }) };
            calls.set(abortSignal, call);
            answer(inner, { ...given, abortSignal }, call).then(
              () => {
                call.begin();
                controller.close();
              },
              (error: unknown) => {
                // Without effect once the stream has begun; then it is the stream that fails.
                reject(error);
                controller.error(error);
              },
            );
          },
        });
        return promise;
      },
    }),
  };
}

/** What the events did not tell on their way. */
function tellEnd(
  { content, response, finishReason, usage, providerMetadata }: GenerateResult,
  tell: Call['tell'],
): void {
  for (const part of content) {
    if (part.type === 'text' || part.type === 'reasoning')
      tell({ type: `${part.type}-delta`, id: '0', delta: part.text });
    else if (part.type === 'tool-call') tell(part);
  }
  const { id, modelId } = response ?? {};
  tell({ type: 'response-metadata', ...(id && { id }), ...(modelId && { modelId }) });
  tell({ type: 'finish', finishReason, usage, ...(providerMetadata && { providerMetadata }) });
}

/** Reads to the end. Rejects when the answer breaks off. */
function readAnswer(
  { message, measure, failure }: Incoming,
  tell: Call['tell'],
): Promise<{ json: string; rest: string }> {
  return new Promise((resolve, reject) => {
    const fold = createFold(tell);
    const take = createEventReader(fold.take);
    const orFail = (work: () => void) => {
      try {
        work();
      } catch (error) {
        reject(error);
        message.destroy();
      }
    };
    message.setEncoding('utf8');
    message.on('data', (text: string) => orFail(() => measure(text) && take(text)));
    message.once('end', () => orFail(() => resolve(fold.finish())));
    message.on('error', (error) => reject(failure(error)));
    message.once('close', () => {
      if (!message.complete) reject(failure(brokeOff()));
    });
  });
}
