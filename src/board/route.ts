/** Helpers for routes: JSON answers and pages of lists. */

import { say, type Wording } from '../messages/messages.ts';
import type { BoardRequest, BoardRoute } from '../runtime/contract/board.ts';
import { RequestError, sendJson } from './respond.ts';

export const route = (
  method: BoardRoute['method'],
  path: string,
  asks: BoardRoute['asks'],
  work: (asked: BoardRequest) => Promise<unknown>,
): BoardRoute => ({
  method,
  path,
  asks,
  handle: async (asked) => sendJson(asked.response, 200, await work(asked)),
});

export const PAGE = 100;

/** The ID of a run's answer among its task's messages. */
export const answerId = (run: string): string => `${run}-answer`;

/**
 * Returns the items after the given ID, and the ID for the next page. If an answer has several lists, each has its own
 * parameter.
 */
export function pageOf<T>(
  all: readonly T[],
  idOf: (item: T) => string,
  url: URL,
  name = 'after',
): { items: T[]; next?: string } {
  const after = url.searchParams.get(name);
  const from = after === null ? 0 : all.findIndex((item) => idOf(item) === after) + 1;
  const items = all.slice(from, from + PAGE);
  const last = items.at(-1);
  return { items, ...(last !== undefined && from + PAGE < all.length && { next: idOf(last) }) };
}

/**
 * Returns a page of events, newest first. IDs are stable as events are added: those of one moment are numbered from the
 * oldest.
 */
export function newestFirst<T extends { at: string }>(
  happened: readonly T[],
  url: URL,
): { items: (T & { id: string })[]; next?: string } {
  const seen = new Map<string, number>();
  const named = happened.map((event) => {
    const count = (seen.get(event.at) ?? 0) + 1;
    seen.set(event.at, count);
    return { ...event, id: `${event.at}-${count}` };
  });
  return pageOf(named.reverse(), ({ id }) => id, url);
}

/**
 * Returns the viber from `?viber=`, or the one that serves the chats.
 * @throws {RequestError} for an unknown viber
 */
export function requestedViber(url: URL, { viber, vibers }: { viber: string; vibers(): string[] }): string {
  const asked = url.searchParams.get('viber') ?? viber;
  if (!vibers().includes(asked)) throw new RequestError(404, 'not_found', say('requests.noViber'), 'viber');
  return asked;
}

export function orNotFound<T>(value: T | undefined, said: Wording): T {
  if (value === undefined) throw new RequestError(404, 'not_found', said);
  return value;
}
