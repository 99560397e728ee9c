/** What the tests of the platform share: a fresh platform for each test, and grammy pointed at it. */
import { Api, GrammyError, HttpError } from 'grammy';
import { afterEach, beforeEach } from 'vitest';
import { startTelegram, type Telegram, type TelegramOptions } from './telegram.ts';

export const ALEX = 1001;
export const GROUP = -42;
export const FORUM = -1_001_234_567_890;

/** `code description` of a refusal, `no answer` when there was none, or what went wrong otherwise. */
export async function refused(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => new Error('the call was accepted'),
    (reason: unknown) => reason,
  );
  if (error instanceof GrammyError) return `${error.error_code} ${error.description}`;
  return error instanceof HttpError ? 'no answer' : String(error);
}

export function apiOf({ token, url }: Pick<Telegram, 'token' | 'url'>): Api {
  return new Api(token, { apiRoot: url });
}

/** A platform and a client of it that are new in every test of the file. */
export function freshTelegram(options: TelegramOptions = {}): { tg: Telegram; api: Api } {
  const fresh = {} as { tg: Telegram; api: Api };
  beforeEach(async () => {
    fresh.tg = await startTelegram(options);
    fresh.api = apiOf(fresh.tg);
  });
  afterEach(() => fresh.tg.close());
  return fresh;
}
