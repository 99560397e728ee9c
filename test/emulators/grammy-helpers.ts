/** Helpers for the platform's tests: a fresh platform for each test, and a grammY client for it. */
import { Api, GrammyError, HttpError } from 'grammy';
import { afterEach, beforeEach, expect } from 'vitest';
import { startTelegram, type Telegram, type TelegramOptions } from './telegram.ts';

export const ALEX = 1001;
export const GROUP = -42;
export const FORUM = -1_001_234_567_890;

/** Returns `code description` of a refusal, `no answer` if there was none, or any other error's message. */
export async function refused(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => new Error('the call was accepted'),
    (reason: unknown) => reason,
  );
  if (error instanceof GrammyError) return `${error.error_code} ${error.description}`;
  return error instanceof HttpError ? 'no answer' : String(error);
}

/** The call is refused: with exactly this if it begins with a code, or else with this in it. */
export async function refuses(call: Promise<unknown>, expected: string | RegExp): Promise<void> {
  const found = await refused(call);
  if (typeof expected !== 'string') expect(found).toMatch(expected);
  else if (/^(?:\d{3} |no answer$)/.test(expected)) expect(found).toBe(expected);
  else expect(found).toContain(expected);
}

export function apiOf({ token, url }: Pick<Telegram, 'token' | 'url'>): Api {
  return new Api(token, { apiRoot: url });
}

/** Creates a new platform and a client of it for every test of the file. */
export function freshTelegram(options: TelegramOptions = {}): { tg: Telegram; api: Api } {
  const fresh = {} as { tg: Telegram; api: Api };
  beforeEach(async () => {
    fresh.tg = await startTelegram(options);
    fresh.api = apiOf(fresh.tg);
  });
  afterEach(() => fresh.tg.close());
  return fresh;
}
