/** Where the result of a job goes while places cannot be looked up: once to each, and not for ever. */

import { beforeEach, expect, test } from 'vitest';
import type { Address, OutboundMessage } from '../../src/channels/channel.ts';
import type { Fence, QueueItem } from '../../src/engine/engine.ts';
import { DeliveryError, UserError } from '../../src/errors.ts';
import { deliverResult } from '../../src/features/jobs/answers.ts';
import { silentLog } from '../../src/log.ts';
import { messagesIn } from '../../src/messages/messages.ts';
import type { Entry } from '../../src/runtime/contract/entry.ts';
import type { Answer } from '../../src/runtime/contract/outcome.ts';
import { nowhere } from '../../src/runtime/conversations/asked-places.ts';
import { attachRules } from '../../src/runtime/reply/render-answer.ts';
import { type Home, openHome } from '../../src/workspace/home.ts';
import { openTask } from '../../src/workspace/tasks/index.ts';
import { saveTask } from '../../src/workspace/tasks/record.ts';
import type { Json } from '../../src/workspace/types.ts';
import { partsOf } from '../helpers/gateway.ts';
import { tempFolder } from '../helpers/temp.ts';

const TASK = '20260112-aaaa2';
const RUN = 'abcdef123456';
const at = (chat: string): Address => ({ channel: 'slack', account: 'U0', workspace: 'T1', chat });
const away = () => new DeliveryError('away', { retryAfterMs: 1_000 });

let home: Home;
let sent: OutboundMessage[];
let told: string[];
/** What is found at each address: a place, or why not. */
let places: Record<string, Address | Error>;
/** What has to happen first. */
let waits: Record<string, Promise<void>>;
/** Ids that the outbox knows from an attempt before, as it does on disk. */
let known: Set<string>;

beforeEach(async () => {
  home = await openHome(tempFolder());
  [sent, told, places, known, waits] = [[], [], {}, new Set(), {}];
  const now = new Date().toISOString();
  await saveTask(home, {
    ...{ id: TASK, viber: 'default', goal: 'x', title: 'x', state: 'running', runs: 0, createdAt: now, updatedAt: now },
    ...{ people: ['job:digest'], conversations: ['slack@U0:C1'], job: 'digest' },
  });
});

const gateway = () =>
  partsOf({
    home,
    engine: { lock: async (_name, work) => work({} as Fence) },
    places: {
      attachRules: () => attachRules(undefined),
      isBlank: async () => false,
      targets: {
        read: () => at('C1'),
        async find(text) {
          await waits[text];
          const found = places[text];
          if (!found || found instanceof Error) throw found ?? new UserError(`I can't see ${text}.`);
          return found;
        },
        isDirect: async () => true,
      },
    },
    say: () => messagesIn('en'),
    consent: { buttons: { offer: async () => [], press: async () => undefined } },
    delivery: {
      async add(message, _trace, again) {
        // Without `again` the outbox knows only what it still holds.
        if (again && known.has(message.id)) return;
        known.add(message.id);
        sent.push(message);
      },
    },
    people: { owners: { tellOwners: async (id, said) => void told.push(`${id} ${messagesIn('en').said(said)}`) } },
    log: silentLog(),
  });

const answer = (given: QueueItem<Entry>, outcome: Answer, isAgain: boolean) =>
  deliverResult(outcome, given, { run: RUN, items: [given], isAgain }, gateway());

function item(deliver: string[], acceptedAt = new Date()): QueueItem<Entry> {
  const principal = {
    channel: 'job',
    account: 'jobs',
    user: 'digest',
    role: 'owner',
    via: 'job',
    name: 'Digest',
  } as const;
  const message = {
    ...{ id: 'job', kind: 'message' as const, address: nowhere('digest'), text: 'x', files: [], facts: [], quotes: [] },
    ...{ sender: { user: 'digest', name: 'Digest', isBot: false }, messageId: '' },
    ...{ isDirect: true, isMention: true, sentAt: 0 },
  } as const;
  const job = { id: 'digest', name: 'Digest', slot: '2026-01-12T08:00:00.000Z', deliver, own: {} };
  return {
    ...{ id: 'item1', lane: `task:${TASK}`, seq: 1, attempts: 0, acceptedAt: acceptedAt.toISOString() },
    message: {
      message: { ...message, files: [], facts: [], quotes: [] },
      principal,
      viber: 'default',
      taskId: TASK,
      job,
    },
  };
}

const outcome = (text: string, more: Partial<Answer> = {}): Answer => ({
  ...{ state: 'completed', text, summary: text, artifactRefs: [], buttons: [], ...more },
});
const chats = () => sent.map(({ address }) => address.chat);

test('a place that cannot be looked up is tried again, and the others get nothing a second time', async () => {
  const deliver = ['slack:U1', 'slack:D1', 'slack:C1'];
  places = { 'slack:U1': away(), 'slack:D1': at('D1'), 'slack:C1': at('C1') };
  await expect(answer(item(deliver), outcome('Digest'), false)).rejects.toThrow(DeliveryError);
  expect(chats()).toEqual(['D1', 'C1']);
  // The first turns out to be the place of the second, by another name.
  places['slack:U1'] = at('D1');
  await answer(item(deliver), outcome('Digest'), true);
  expect(chats()).toEqual(['D1', 'C1']);
  expect(new Set(sent.map(({ id }) => id)).size).toBe(2);
  expect(told).toEqual([]);
});

test('two names of one place are one message even before anything is known of it on disk', async () => {
  places = { 'slack:U1': at('D1'), 'slack:D1': at('D1') };
  await answer(item(['slack:U1', 'slack:D1']), outcome('Digest'), false);
  expect(chats()).toEqual(['D1']);
});

test('a place that is slow to be found holds up no other', async () => {
  places = { 'slack:C1': at('C1'), 'slack:C2': at('C2') };
  const slow = Promise.withResolvers<void>();
  waits = { 'slack:C1': slow.promise };
  const sending = answer(item(['slack:C1', 'slack:C2']), outcome('Digest'), false);
  await expect.poll(chats).toEqual(['C2']);
  slow.resolve();
  await sending;
  expect(chats()).toEqual(['C2', 'C1']);
});

test('a name of a job shows no link and no other markup to the owners', async () => {
  const given = item(['slack:C1']);
  const job = { id: 'digest', slot: '', deliver: ['slack:C1'], own: {}, name: '[pay](https://evil.example) **now**' };
  const message = { ...given.message, job };
  await answer({ ...given, message }, outcome('Digest'), false);
  expect(told[0]).toContain(String.raw`"\[pay\](https://evil.example) \*\*now\*\*"`);
});

test('after a day a place that is still away is given up, and the owners are told', async () => {
  places = { 'slack:C1': away(), 'slack:C2': at('C2') };
  const old = new Date(Date.now() - 25 * 3_600_000);
  await answer(item(['slack:C1', 'slack:C2'], old), outcome('Digest'), true);
  expect(chats()).toEqual(['C2']);
  expect(told).toEqual([expect.stringContaining("couldn't be sent to slack:C1: The platform couldn't be reached")]);
});

test('what is refused is told with the reason, by an id that is the same each time', async () => {
  places = { 'slack:C1': new UserError('list C1 under channels.slack.access.chats.') };
  await answer(item(['slack:C1']), outcome('Digest'), false);
  await answer(item(['slack:C1']), outcome('Digest'), false);
  expect(told[0]).toContain('channels.slack.access.chats');
  expect(new Set(told).size).toBe(1);
});

test.each(
  // biome-ignore format: a row is a line
  [
    ...['HEALTHY', '**HEALTHY**.', '`HEALTHY`', ' > HEALTHY! ', '"HEALTHY"', 'healthy', 'Healthy.', 'HEALTHY ✅', '✅ healthy!'],
    ...[
      'Status: HEALTHY.', '**Status:** healthy', '{"status": "HEALTHY"}', '```text\nHEALTHY\n```', 'HEALTHY. ✅',
      '(HEALTHY)', '<b>HEALTHY</b>', 'healthy :white_check_mark:', ':large_green_circle: HEALTHY', '~~~\nHEALTHY\n~~~',
    ],
    ...['All checks passed. HEALTHY', 'All checks passed!\n\n**HEALTHY**', 'I looked at 5 of 5 ("all is well."). Healthy.'],
  ],
)('%s alone is not sent', async (text) => {
  places = { 'slack:C1': at('C1') };
  await answer(item(['slack:C1']), outcome(text), false);
  expect(sent).toEqual([]);
  const ref = { id: 'a', title: 'a', type: 'text/plain', ref: 'x' };
  await answer(item(['slack:C1']), outcome(text, { artifactRefs: [ref] }), false);
  expect(sent).toHaveLength(1);
});

test.each([
  ...[
    'UNHEALTHY',
    'All is HEALTHY but the disk',
    'HEALTHY\nexcept one',
    'HEALTHY. But the disk is full.',
    'not healthy',
  ],
  // biome-ignore format: a list is filled
  ...[
    'The api is down. Not HEALTHY.', '- api: DOWN\n- db: HEALTHY', 'status: DOWN\nstatus: HEALTHY', 'HEALTHY?',
    '❌ HEALTHY', 'HEALTHY. ⚠️', 'All checks ran.\n🔴 HEALTHY', ':x: HEALTHY', '~~HEALTHY~~', '<del>HEALTHY</del>',
    'Status: HEALTHY 👎', 'un-healthy', 'The disk of the server is not\nHEALTHY',
    'Der Server ist leider nicht\n**HEALTHY**', 'Is all well? Definitely not. HEALTHY', 'The api isn’t\nhealthy.',
  ],
])('%s is sent', async (text) => {
  places = { 'slack:C1': at('C1') };
  await answer(item(['slack:C1']), outcome(text), false);
  expect(sent).toHaveLength(1);
});

test.each([
  ['sent', { type: 'json', value: { status: 'sent' } }, 0],
  ['failed', { type: 'error-text', value: 'no' }, 1],
])('a run whose notify has %s has %j, and its answer is sent %d times', async (_what, output, count) => {
  const part = { type: 'tool-result', toolCallId: 'c', toolName: 'notify', output } satisfies Json;
  const step = { index: 1, messages: [{ role: 'tool', content: [part] }] };
  const now = new Date().toISOString();
  await openTask(home, TASK, 'default').session.append([
    {
      type: 'message',
      id: 'item1',
      run: RUN,
      at: now,
      text: 'x',
      from: { channel: 'job', user: 'j', name: 'j' },
      files: [],
    },
    { type: 'step', run: RUN, at: now, ...step },
  ]);
  places = { 'slack:C1': at('C1') };
  await answer(item(['slack:C1']), outcome('Digest'), false);
  expect(sent).toHaveLength(count);
});

test('the task knows the place by the name the platform has for it', async () => {
  places = { 'slack:U1': at('D1') };
  await answer(item(['slack:U1']), outcome('Digest'), false);
  expect(openTask(home, TASK).record()?.conversations).toEqual(['slack@U0:C1', 'slack@U0:D1']);
});

test('a question that nobody can be asked is not sent anywhere', async () => {
  await answer(item(['slack:C1']), outcome('May I?', { state: 'waiting' }), false);
  expect(sent).toEqual([]);
});
