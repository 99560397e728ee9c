/** Defines the section `channels.telegram`. */

import type { z } from 'zod';
import {
  address,
  apiRoot,
  chat,
  chatDefaults,
  expects,
  here,
  id,
  listOf,
  oneOf,
  path,
  section,
  text,
  whole,
} from '../../config/schema-parts.ts';
import type { ConfigProblem } from '../../errors.ts';
import { isRecord } from '../../lib/json.ts';
import type { Section } from '../kind.ts';

export const telegramDefaults = {
  ...chatDefaults,
  apiRoot: 'https://api.telegram.org',
  mode: 'polling' as const,
  pollSeconds: 30,
  localFiles: [],
};

export const webhookPath = '/webhooks/telegram';

const webhook = section({
  /** The public https URL given to Telegram. */
  url: address().exactOptional(),
  /** Telegram repeats it in a header of every call. */
  secret: text(expects('expected.webhookSecret'), /^[\w-]{1,256}$/).exactOptional(),
  path: path.default(webhookPath),
});

export const settings = section({
  token: text(here('the token BotFather gave', 'TELEGRAM_BOT_TOKEN'), /^[^\s/]+$/),
  apiRoot: apiRoot('TELEGRAM_API_ROOT').default(telegramDefaults.apiRoot),
  mode: oneOf('polling', 'webhook').default(telegramDefaults.mode),
  webhook: webhook.prefault({}),
  /** Seconds that one getUpdates call stays open. */
  pollSeconds: whole(1, 50).default(telegramDefaults.pollSeconds),
  /**
   * Folders where our own Bot API server in local mode keeps files; an empty list means that there is no such server.
   */
  localFiles: listOf(text(expects('expected.absoluteFolder'), /^\/./)).default(telegramDefaults.localFiles),
  ...chat(
    id(expects('expected.personNumber'), /^-?\d{1,19}$/),
    id(expects('expected.telegramChat'), /^(-?\d{1,19}|\*)$/),
  ),
}).transform(({ webhook: { url, secret, path }, ...telegram }) => {
  // `rules` has refused webhook mode without the two.
  const wanted = telegram.mode === 'webhook' && url !== undefined && secret !== undefined;
  return { ...telegram, ...(wanted && { webhook: { url, secret, path } }) };
});

export type TelegramSettings = z.output<typeof settings>;

export function rules({ mode, webhook }: Section): ConfigProblem[] {
  if (mode !== 'webhook') return [];
  return ['url', 'secret']
    .filter((key) => !isRecord(webhook) || webhook[key] === undefined)
    .map((key) => ({ path: `webhook.${key}`, message: 'is required because mode is webhook' }));
}
