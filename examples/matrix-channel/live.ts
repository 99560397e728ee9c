/** Shows progress: typing, then one message that is edited. None of these calls rejects. */
import { randomUUID } from 'node:crypto';
import type { Address, Logger, StatusCalls, StatusMessage, StatusWords } from 'openviber-gateway/plugin';
import { CLIENT, type MatrixApi, MatrixError } from './api.ts';
import { plainContent, renderWords, withButtons } from './render.ts';
import { relationOf, replacing, type Sender } from './send.ts';

const CALL_MS = 5_000;
export const TYPING_MS = 20_000;

export function createLiveCalls(api: MatrixApi, self: () => string, put: Sender['put'], log: Logger): StatusCalls {
  /** Runs a call, and returns the error that it ended with. */
  async function attempt(run: StatusMessage, call: () => Promise<unknown>): Promise<MatrixError | undefined> {
    try {
      await call();
      return undefined;
    } catch (error) {
      if (!(error instanceof MatrixError)) throw error;
      log.debug({ err: error }, 'live progress could not be shown');
      if (error.retryAfterMs !== undefined) run.view.limited(error.retryAfterMs);
      if (!error.isPassing) run.isOver = true;
      return error;
    }
  }
  const typing = ({ chat }: Address, json: object) =>
    api.call('PUT', [...CLIENT, 'rooms', chat, 'typing', self()], { json, timeoutMs: CALL_MS });

  return {
    async type(run) {
      await attempt(run, () => typing(run.address, { typing: true, timeout: TYPING_MS + 5_000 }));
    },
    async unmark(run) {
      await attempt(run, () => typing(run.address, { typing: false }));
    },
    async publish(run, words) {
      const shown = JSON.stringify(words);
      const content = withButtons(await contentOf(words), (await run.view.buttons()).flat());
      const { address, messageId, view } = run;
      const relation = relationOf(address, view.answers);
      const said =
        messageId === undefined
          ? { ...content, ...(relation && { 'm.relates_to': relation }) }
          : replacing(messageId, content);
      const error = await attempt(run, async () => {
        const id = await put(address, said, randomUUID());
        run.messageId ??= id;
      });
      if (!error) run.shown = shown;
    },
    async remove(run) {
      const { address, messageId } = run;
      if (messageId === undefined) return undefined;
      const path = [...CLIENT, 'rooms', address.chat, 'redact', messageId, `remove-${messageId}`];
      const error = await attempt(run, () => api.call('PUT', path, { json: {}, timeoutMs: CALL_MS }));
      return error?.isPassing ? error : undefined;
    },
  };
}

async function contentOf(words: StatusWords): Promise<Record<string, unknown>> {
  if ('line' in words) return { ...plainContent(words.line), msgtype: 'm.notice' };
  return (await renderWords(words.markdown))[0] ?? plainContent('…');
}
