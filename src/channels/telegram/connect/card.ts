/** Builds the card with which people find the bot. */
import { createApi } from './api.ts';
import { getMe } from './setup.ts';

/** @throws TelegramError */
export async function telegramCard({ token, apiRoot }: { token: string; apiRoot: string }) {
  const bot = await getMe(createApi({ token, apiRoot: apiRoot.replace(/\/+$/, '') }), AbortSignal.timeout(15_000));
  return { name: `@${bot.username}`, link: `https://t.me/${bot.username}` };
}
