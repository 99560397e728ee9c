/** Answers a request in the API's two forms: a stream of chunks, or one object. */
import type http from 'node:http';
import { sendJson } from '../../board/respond.ts';
import { addressOf, isFailure } from './end-text.ts';
import type { AcceptedRequest } from './records.ts';
import type { End, EndText, Listener } from './turn.ts';

export interface ReplyTo {
  response: http.ServerResponse;
  accepted: AcceptedRequest;
  model: string;
  origin: string;
  ignored: readonly string[];
  withUsage: boolean;
}

const BEAT_MS = 15_000;
/** A program that leaves more than this unread is disconnected, in bytes. */
const MAX_UNREAD = 4 * 1024 * 1024;
const NO_USAGE = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

/** Asks programs not to retry, since the run was accepted and a retry would start it twice. */
const NO_RETRY = { 'x-should-retry': 'false' };

const headersOf = ({ accepted, ignored }: ReplyTo): Record<string, string> => ({
  'x-viber-task': accepted.taskId,
  'x-request-id': (accepted.message ?? accepted.run ?? accepted.taskId).slice(0, 12),
  ...(ignored.length > 0 && { 'x-viber-ignored': ignored.slice(0, 30).join(', ') }),
});

const completionId = ({ message, run, taskId }: AcceptedRequest): string =>
  `chatcmpl-${(message ?? run ?? taskId).slice(0, 24)}`;

function usageFields(end: End): object {
  const usage = end.kind === 'result' ? end.result.usage : undefined;
  if (!usage) return NO_USAGE;
  const { inputTokens, outputTokens, cachedInputTokens = 0 } = usage;
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: cachedInputTokens },
  };
}

/** Names each file where the text links to it. */
function annotationsOf({ end, text }: EndText, origin: string): object[] {
  if (end.kind !== 'result' || isFailure(end)) return [];
  return end.result.artifactRefs.flatMap(({ title, ref }) => {
    const url = addressOf(ref, origin);
    const at = text.lastIndexOf(`](${url})`);
    const citation = { url, title, start_index: text.lastIndexOf('[', at), end_index: at + url.length + 3 };
    return at < 0 ? [] : [{ type: 'url_citation', url_citation: citation }];
  });
}

const failure = (message: string) => ({ message, type: 'server_error', param: null, code: 'run_failed' });

export function wholeReply(to: ReplyTo): Listener {
  const { response, accepted, model, origin } = to;
  return {
    text: () => undefined,
    end(ending) {
      for (const [name, value] of Object.entries(headersOf(to))) response.setHeader(name, value);
      if (isFailure(ending.end)) {
        for (const [name, value] of Object.entries(NO_RETRY)) response.setHeader(name, value);
        return sendJson(response, 500, { error: failure(ending.text) });
      }
      const message = {
        role: 'assistant',
        content: ending.text,
        refusal: null,
        annotations: annotationsOf(ending, origin),
      };
      sendJson(response, 200, {
        id: completionId(accepted),
        object: 'chat.completion',
        created: Math.floor(accepted.at / 1_000),
        model,
        choices: [{ index: 0, message, logprobs: null, finish_reason: 'stop' }],
        usage: usageFields(ending.end),
        system_fingerprint: null,
      });
    },
  };
}

/** Writes the first chunk at once, and comments while there is no text. */
export function streamReply(to: ReplyTo): Listener {
  const { response, accepted, model, origin, withUsage } = to;
  const about = {
    id: completionId(accepted),
    object: 'chat.completion.chunk',
    created: Math.floor(accepted.at / 1_000),
    model,
    system_fingerprint: null,
  };
  const write = (line: string) => {
    if (response.writableEnded || response.destroyed) return;
    if (response.writableLength > MAX_UNREAD) response.destroy();
    else response.write(line);
  };
  const chunk = (choices: object[], usage: object | null = null) =>
    write(`data: ${JSON.stringify({ ...about, choices, ...(withUsage && { usage }) })}\n\n`);
  const delta = (given: object, finish_reason: 'stop' | null = null) =>
    chunk([{ index: 0, delta: given, logprobs: null, finish_reason }]);
  response.writeHead(200, {
    ...headersOf(to),
    'content-type': 'text/event-stream; charset=utf-8',
    'x-accel-buffering': 'no',
  });
  const beat = setInterval(() => write(': working\n\n'), BEAT_MS);
  response.once('close', () => clearInterval(beat));
  delta({ role: 'assistant', content: '', refusal: null });
  return {
    text: (content) => delta({ content }),
    end(ending, rest) {
      if (isFailure(ending.end)) {
        write(`data: ${JSON.stringify({ error: failure(ending.text) })}\n\n`);
        response.end();
        return;
      }
      const annotations = annotationsOf(ending, origin);
      if (rest !== '' || annotations.length > 0)
        delta({ content: rest, ...(annotations.length > 0 && { annotations }) });
      delta({}, 'stop');
      if (withUsage) chunk([], usageFields(ending.end));
      write('data: [DONE]\n\n');
      response.end();
    },
  };
}
