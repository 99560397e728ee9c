/**
 * Chat Completions over a connection of our own. The provider makes the request's body and reads the finished answer, by the
 * two doors it has for that; between them we send, and read the events: plain text is told at once, without the provider's
 * chain of stream transformers, with which a whole message costs two fifths more CPU when its answer comes in 200 pieces.
 * From the first event that holds more (a tool call, a list of parts) the provider gets the events themselves when all are
 * there: how servers cut a tool call into pieces is its trade, and so are refusals, failures and answers that are no events.
 * Invariant: no finish part without a finish reason.
 */

import type { CallOptions, GenerateResult, ModelV4, StreamPart } from '../contract/model.ts';
import { createEventReader } from './events.ts';
import { createFold, type Folded } from './fold.ts';
import { brokeOff, EVENTS, type Incoming, isEvents, type Post, toResponse } from './http-fetch.ts';

/** A provider's model with the doors between which its request is sent. */
interface Completions extends ModelV4 {
  prepareRequest(options: CallOptions): Promise<{ body: Record<string, unknown> }>;
  convertResponse(answer: {
    body: unknown;
    providerOptions?: NonNullable<CallOptions['providerOptions']>;
  }): Promise<GenerateResult>;
}

/** Where its requests go. */
export interface Endpoint {
  /** With `/v1` or what stands in its place. */
  baseURL: string;
  apiKey?: string | undefined;
  headers?: Record<string, string> | undefined;
}

export interface Folding {
  url: string;
  /** For the provider: it gets what has come already. */
  fetch: typeof fetch;
  /** `inner` asks for a stream in every body it makes. */
  wrap(inner: Completions): ModelV4;
}

/** What came of a request: a whole answer of plain text, or what the provider has to read. */
type Sent = { folded: Folded } | { left: Response; isStream: boolean };

export function createFolding(post: Post, { baseURL, apiKey, headers }: Endpoint): Folding {
  const url = `${baseURL.replace(/\/$/, '')}/chat/completions`;
  const sentHeaders = {
    'content-type': 'application/json',
    'user-agent': 'openviber-gateway',
    ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
    ...headers,
  };
  // The provider hands the signal on as it is, so it tells which call it reads.
  const left = new WeakMap<AbortSignal, Promise<Response>>();

  async function send(inner: Completions, options: CallOptions, tell: Tell, begin: () => void): Promise<Sent> {
    const { body } = await inner.prepareRequest(options);
    const signal = options.abortSignal ?? null;
    const incoming = await post(url, { headers: sentHeaders, body: JSON.stringify(body), signal });
    if (incoming.status !== 200 || !isEvents(incoming.message)) return { left: toResponse(incoming), isStream: false };
    begin();
    const folded = await readAnswer(incoming, tell);
    if (folded.rest === '') return { folded };
    return { left: new Response(folded.rest, { headers: { 'content-type': EVENTS } }), isStream: true };
  }

  async function answer(inner: Completions, options: CallOptions, tell: Tell, begin: () => void): Promise<void> {
    const sending = send(inner, options, tell, begin);
    // The provider hears of a failure below, and puts it into its own words.
    const sent = await sending.catch(() => undefined);
    if (sent && 'folded' in sent) {
      const { providerOptions } = options;
      const result = await inner.convertResponse({
        body: sent.folded.body,
        ...(providerOptions && { providerOptions }),
      });
      return tellEnd(result, tell);
    }
    const response = sent
      ? Promise.resolve(sent.left)
      : sending.then(() => Promise.reject(new Error('nothing is left')));
    if (options.abortSignal) left.set(options.abortSignal, response);
    if (!sent?.isStream) return tellEnd(await inner.doGenerate(options), tell);
    const { stream } = await inner.doStream(options);
    for await (const part of stream) tell(part);
  }

  return {
    url,
    fetch: (_input, init) =>
      (init?.signal && left.get(init.signal)) ?? Promise.reject(new Error('only what has come is read')),
    wrap: (inner) => ({
      specificationVersion: 'v4',
      provider: inner.provider,
      modelId: inner.modelId,
      supportedUrls: inner.supportedUrls,
      doGenerate: () => Promise.reject(new Error('this model is only asked for streams')),
      doStream(given) {
        const options = { ...given, abortSignal: given.abortSignal ?? new AbortController().signal };
        const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<ModelV4['doStream']>>>();
        const stream = new ReadableStream<StreamPart>({
          start(controller) {
            const begin = () => resolve({ stream });
            answer(inner, options, (part) => controller.enqueue(part), begin).then(
              () => {
                begin();
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

type Tell = (part: StreamPart) => void;

/** What the events did not tell on their way. */
function tellEnd({ content, response, finishReason, usage, providerMetadata }: GenerateResult, tell: Tell): void {
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
function readAnswer({ message, measure, failure }: Incoming, tell: Tell): Promise<Folded> {
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
