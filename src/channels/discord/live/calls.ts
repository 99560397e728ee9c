/**
 * Makes the calls that show progress. None of them rejects. After Discord says "slow down", no call is made in that
 * channel for as long as it asked.
 */
import { createLru } from '../../../lib/lru.ts';
import type { Logger } from '../../../log.ts';
import { isFields } from '../../shared/read.ts';
import type { StatusCalls, StatusMessage, Words } from '../../shared/status.ts';
import { type DiscordApi, DiscordError } from '../connect/api.ts';
import { id } from '../decode/read.ts';
import { NO_MENTIONS, SUPPRESS_EMBEDS, SUPPRESS_NOTIFICATIONS } from '../send/defaults.ts';
import { componentsOf } from '../send/parts.ts';
import { plainLine, renderDiscord } from '../send/render.ts';
import { channelOf } from '../send/send.ts';

const CALL_MS = 5000;
const MAX_CHANNELS = 500;

export function createLiveCalls({ api, log }: { api: DiscordApi; log: Logger }): StatusCalls {
  const quietUntil = createLru<number>(MAX_CHANNELS);

  async function call(
    run: StatusMessage,
    method: 'POST' | 'PATCH' | 'DELETE',
    route: 'typing' | `messages${string}`,
    body?: object,
  ): Promise<{ answer?: unknown; error?: DiscordError }> {
    try {
      const options = { ...(body && { body }), timeoutMs: CALL_MS };
      return { answer: await api.call(method, `/channels/${channelOf(run)}/${route}`, options) };
    } catch (error) {
      if (!(error instanceof DiscordError)) throw error;
      log.debug({ err: error, channel: channelOf(run) }, 'live progress could not be shown');
      if (error.retryAfterMs !== undefined) {
        quietUntil.set(channelOf(run), Date.now() + error.retryAfterMs);
        run.view.limited(error.retryAfterMs);
      }
      // After a refusal the run shows nothing more.
      if (error.kind === 'refused') run.isOver = true;
      return { error };
    }
  }

  return {
    async type(run) {
      if (Date.now() >= (quietUntil.get(channelOf(run)) ?? 0)) await call(run, 'POST', 'typing');
    },
    async publish(run, words) {
      const [content, buttons] = await Promise.all([renderWords(words), run.view.buttons()]);
      const body = { content, allowed_mentions: NO_MENTIONS, components: componentsOf(buttons) };
      if (run.messageId !== undefined) {
        const { error } = await call(run, 'PATCH', `messages/${run.messageId}`, { ...body, flags: SUPPRESS_EMBEDS });
        if (error?.kind === 'refused') delete run.messageId;
        if (!error) run.shown = JSON.stringify(words);
        return;
      }
      const flags = SUPPRESS_EMBEDS | SUPPRESS_NOTIFICATIONS;
      const { answer, error } = await call(run, 'POST', 'messages', { ...body, flags });
      const messageId = isFields(answer) ? id(answer, 'id') : undefined;
      if (messageId !== undefined) run.messageId = messageId;
      if (!error) run.shown = JSON.stringify(words);
    },
    async remove(run) {
      const { error } = await call(run, 'DELETE', `messages/${run.messageId}`);
      return error?.kind === 'refused' ? undefined : error;
    },
  };
}

/** Renders text with the same care for links and mentions as an answer. */
async function renderWords(words: Words): Promise<string> {
  if ('line' in words) return plainLine(words.line);
  const [text = '…'] = await renderDiscord(words.markdown);
  return text;
}
