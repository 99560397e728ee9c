/** How often Telegram is asked for updates by a server that does not do as it is asked. */
import { expect, it, onTestFinished } from 'vitest';
import { createTelegram } from '../../../src/channels/telegram/adapter.ts';
import { silentLog } from '../../../src/log.ts';
import { listen, readText, sendJson } from '../../emulators/base/http.ts';
import { eventually } from '../../helpers/eventually.ts';
import { startBench } from './harness.ts';

const TOKEN = '123456:abcdef';

interface Update {
  update_id: number;
}

/** A server that answers every poll at once with what `updates` gives. */
async function impatient(updates: (offset: number) => Update[]) {
  const polls: number[] = [];
  const got: string[] = [];
  const { url: apiRoot, close } = await listen(async (request, response) => {
    const body = await readText(request);
    const method = /[^/]+$/.exec(request.url ?? '')?.[0];
    let result: unknown = true;
    if (method === 'getMe') result = { id: 123456, is_bot: true, first_name: 'Bot', username: 'bot' };
    if (method === 'getUpdates') {
      polls.push(performance.now());
      result = updates(Number(JSON.parse(body).offset ?? 0));
    }
    sendJson(response, 200, { ok: true, result });
  });
  const channel = createTelegram({
    ...{ token: TOKEN, apiRoot, mode: 'polling', attachCommands: [] },
    ...{ log: silentLog(), live: 'off' },
  });
  onTestFinished(async () => {
    await channel.disconnect();
    await close();
  });
  await channel.connect({
    onMessage: async (message) => {
      got.push(message.text);
      return 'accepted';
    },
    onInterrupt: async () => undefined,
    onDropped: () => undefined,
    onSuggest: async () => [],
    onStatus: () => undefined,
  });
  return { polls, got, channel };
}

const says = (id: number, text: string) => {
  const from = { id: 1001, is_bot: false, first_name: 'Alex' };
  return { update_id: id, message: { message_id: id, date: 1, chat: { id: 1001, type: 'private' }, from, text } };
};

/** So many polls take so long at least: each pause is twice the one before, up to a second, and may be cut to its half. */
const POLLS = 8;
const PACED_MS = 1_700;

it('a server that answers at once with nothing is asked about once a second, and what comes is taken in soon', async () => {
  const pending: Update[] = [];
  const began = performance.now();
  const { polls, got, channel } = await impatient((offset) => pending.filter((update) => update.update_id >= offset));
  await eventually(() => polls.length >= POLLS);
  expect(performance.now() - began).toBeGreaterThan(PACED_MS);
  expect(channel.status()).toEqual({ state: 'connected' });
  pending.push(says(7, 'first'));
  await eventually(() => expect(got).toEqual(['first']));
  // A conversation under way is not slowed down.
  const before = polls.length;
  for (let n = 8; n < 28; n++) {
    pending.push(says(n, `m${n}`));
    await eventually(() => expect(got).toContain(`m${n}`));
  }
  expect(polls.length - before).toBeLessThan(80);
});

it('a server that gives the same updates for ever is asked about once a second', async () => {
  const began = performance.now();
  const { polls, got } = await impatient(() => [says(7, 'again')]);
  await eventually(() => polls.length >= POLLS && got.length > 1);
  expect(performance.now() - began).toBeGreaterThan(PACED_MS);
});

it('a server that holds its polls is asked again at once', async () => {
  const { telegram, connect } = await startBench({ pollSeconds: 1 });
  await connect();
  await eventually(() => telegram.requests('getUpdates').length >= 3);
});
