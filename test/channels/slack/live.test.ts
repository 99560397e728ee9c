/** Live progress before a Slack that answers as it is told, with the clock in our hands. */

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Address, AgentStreamEvent, LiveMode } from '../../../src/channels/channel.ts';
import { type SlackApi, SlackError } from '../../../src/channels/slack/connect/api.ts';
import { createAssistant } from '../../../src/channels/slack/live/assistant.ts';
import { createLive } from '../../../src/channels/slack/live/live.ts';
import { addSecret } from '../../../src/log.ts';
import { featureSet } from '../../../src/runtime/features.ts';
import { FEATURES } from '../../helpers/features.ts';
import { createViews, type ViewOptions } from '../live-views.ts';
import { createContext } from './harness.ts';

const THREAD: Address = { channel: 'slack', account: 'U0', workspace: 'T1', chat: 'C1', thread: '1.000001' };
const PANE: Address = { ...THREAD, chat: 'D1' };
const DM: Address = { channel: 'slack', account: 'U0', workspace: 'T1', chat: 'D1' };

interface Call {
  method: string;
  params: Record<string, unknown>;
  /** Milliseconds since the start of the test. */
  at: number;
}

let calls: Call[];
/** That we are at work, said in a channel's thread before there is anything to show. */
let signs: Call[];
let answer: (call: Call) => Promise<Record<string, unknown>>;

function live(mode: LiveMode, recipient = 'U1', options: ViewOptions = {}) {
  const start = Date.now();
  const api: SlackApi = {
    call: (method, params = {}) => {
      const call = { method, params: { ...params }, at: Date.now() - start };
      const isSign = method === 'assistant.threads.setStatus' && params.channel_id === THREAD.chat;
      (isSign ? signs : calls).push(call);
      return answer(call);
    },
  };
  const slack = createContext(api, { live: mode });
  slack.identity = { userId: 'U0', botId: 'B0', teamId: 'T1', teamName: '', name: 'viber', url: '', scopes: undefined };
  const progress = createLive(slack, {
    assistant: createAssistant(slack),
    recipientOf: () => recipient || undefined,
  });
  const views = createViews(options);
  return {
    ...progress,
    event: (event: AgentStreamEvent, address: Address) => progress.event(event, address, views(event, address)),
  };
}

type Rest =
  | { type: 'text-delta'; content: string }
  | { type: 'tool-call'; tool: string; args: unknown }
  | { type: 'state-change'; state: 'thinking' };

function event(rest: Rest = { type: 'state-change', state: 'thinking' }, runId = 'r'): AgentStreamEvent {
  return { agentId: 'a', taskId: 't', runId, ...rest };
}

const said = (content: string) => event({ type: 'text-delta', content });
const tool = (name: string, args: object) => event({ type: 'tool-call', tool: name, args });
const refuse = (code: string, retryAfterMs?: number) => {
  throw new SlackError('refused', code, { code, retryAfterMs });
};
const seen = () => calls.map(({ method, params }) => [method, params.text ?? params.markdown_text ?? params.status]);

beforeEach(() => {
  vi.useFakeTimers();
  calls = [];
  signs = [];
  answer = async () => ({ ts: '2.000002' });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a status', () => {
  test('costs a fast answer nothing; a slow one is said once and edited from then on', async () => {
    const progress = live('status');
    progress.event(event(), THREAD);
    await vi.advanceTimersByTimeAsync(2900);
    expect(calls).toEqual([]);
    await vi.advanceTimersByTimeAsync(200);
    progress.event(tool('create_artifact', { title: '<!channel> plan' }), THREAD);
    await vi.advanceTimersByTimeAsync(3000);
    expect(calls.map(({ method }) => method)).toEqual(['chat.postMessage', 'chat.update']);
    expect(calls[0]?.params).toMatchObject({ channel: 'C1', thread_ts: '1.000001', unfurl_links: false });
    expect(calls[1]?.params).toMatchObject({ ts: '2.000002', parse: 'none' });
    expect(JSON.stringify(calls[1]?.params)).not.toContain('<!channel>');
    const button = expect.objectContaining({ action_id: 'stop-id' });
    const stop = { blocks: [expect.anything(), { type: 'actions', elements: [button] }] };
    expect(calls.map(({ params }) => params)).toMatchObject([stop, stop]);
    expect(await progress.end('r', THREAD, true)).toBe('2.000002');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(calls).toHaveLength(2);
  });

  test('that no answer replaces is taken away, also when it appears too late', async () => {
    const progress = live('status');
    progress.event(event(), THREAD);
    await vi.advanceTimersByTimeAsync(3100);
    expect(await progress.end('r', THREAD, false)).toBeUndefined();
    expect(calls.at(-1)).toMatchObject({ method: 'chat.delete', params: { ts: '2.000002' } });
    const slow = Promise.withResolvers<Record<string, unknown>>();
    answer = () => slow.promise;
    progress.event(event(undefined, 'r2'), THREAD);
    await vi.advanceTimersByTimeAsync(3100);
    const ended = progress.end('r2', THREAD, true);
    await vi.advanceTimersByTimeAsync(5100);
    expect(await ended).toBeUndefined();
    answer = async () => ({});
    slow.resolve({ ts: '3.000003' });
    await vi.advanceTimersByTimeAsync(10);
    expect(calls.at(-1)).toMatchObject({ method: 'chat.delete', params: { ts: '3.000003' } });
  });

  test('keeps quiet as long as Slack says, and a workspace’s runs share what edits there are', async () => {
    const progress = live('status');
    answer = async ({ at }) => (at < 5000 ? refuse('ratelimited', 20_000) : { ts: '2.000002' });
    progress.event(event(), THREAD);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(calls).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(calls.length).toBeGreaterThan(1);
    calls = [];
    for (let run = 0; run < 50; run++) progress.event(event(undefined, `many${run}`), THREAD);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(calls.length).toBeLessThanOrEqual(62);
  });

  test('of a long run is taken away, so that the answer notifies; that is tried until Slack is there', async () => {
    const progress = live('status');
    progress.event(event(), THREAD);
    await vi.advanceTimersByTimeAsync(31_000);
    calls = [];
    answer = async ({ at }) => (at < 32_000 ? refuse('ratelimited', 2000) : {});
    expect(await progress.end('r', THREAD, true)).toBeUndefined();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(calls.map(({ method }) => method)).toEqual(['chat.delete', 'chat.delete']);
  });

  test('is shown as the conversation has chosen, in its turn, and goes when it is switched off', async () => {
    const turns = [Promise.withResolvers<boolean>()];
    const chosen: ViewOptions = { mode: 'off', turn: () => turns[0]?.promise ?? Promise.resolve(true) };
    const progress = live('text', 'U1', chosen);
    progress.event(event(), THREAD);
    await vi.advanceTimersByTimeAsync(10_000);
    chosen.mode = 'status';
    progress.event(said('a draft '), THREAD);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(calls).toEqual([]);
    turns.shift()?.resolve(true);
    await vi.advanceTimersByTimeAsync(0);
    expect(seen()).toEqual([['chat.postMessage', expect.stringMatching(/^Working: thinking/)]]);
    chosen.mode = 'off';
    progress.event(said('more '), THREAD);
    await vi.advanceTimersByTimeAsync(100);
    expect(calls.at(-1)?.method).toBe('chat.delete');
  });

  test('stops where it is not wanted', async () => {
    const progress = live('status');
    answer = async () => refuse('is_archived');
    progress.event(event(), THREAD);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(calls).toHaveLength(1);
    live('off').event(event(), THREAD);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(calls).toHaveLength(1);
  });
});

// What a tool does is said in the words of the feature that brings it.
featureSet(FEATURES);

describe('an assistant’s thread', () => {
  test('says what it is doing, soon, and when that changes', async () => {
    const progress = live('status');
    progress.event(event(), PANE);
    await vi.advanceTimersByTimeAsync(400);
    progress.event(tool('memory_search', {}), PANE);
    await vi.advanceTimersByTimeAsync(9000);
    expect(seen()).toEqual([
      ['assistant.threads.setStatus', 'is thinking…'],
      ['assistant.threads.setStatus', 'is looking through memory…'],
    ]);
    expect(await progress.end('r', PANE, false)).toBeUndefined();
    expect(seen().at(-1)).toEqual(['assistant.threads.setStatus', '']);
  });

  test('that turns out to be none has a status message', async () => {
    const progress = live('status');
    answer = async ({ method }) => (method.startsWith('assistant') ? refuse('channel_not_found') : { ts: '2.000002' });
    progress.event(event(), PANE);
    await vi.advanceTimersByTimeAsync(7000);
    expect(calls.map(({ method }) => method).slice(0, 3)).toEqual([
      'assistant.threads.setStatus',
      'chat.postMessage',
      'chat.update',
    ]);
    expect(await progress.end('r', PANE, true)).toBe('2.000002');
  });
});

describe('text', () => {
  test('is streamed in whole words, without what would mention anybody or be a secret', async () => {
    addSecret('sup3rsecretvalue');
    const progress = live('text');
    progress.event(said('Dear <!channel> <@U1> and sup3rsec'), THREAD);
    await vi.advanceTimersByTimeAsync(1600);
    progress.event(said('retvalue all of you '), THREAD);
    await vi.advanceTimersByTimeAsync(1600);
    progress.event(tool('list_files', {}), THREAD);
    progress.event(said('More '), THREAD);
    await vi.advanceTimersByTimeAsync(1600);
    expect(seen()).toEqual([
      ['chat.startStream', 'Dear ‹!channel> ‹@U1> and '],
      ['chat.appendStream', '[secret] all of you '],
      ['chat.appendStream', '\n\nMore '],
    ]);
    expect(calls[0]?.params).toMatchObject({ recipient_user_id: 'U1', recipient_team_id: 'T1', thread_ts: '1.000001' });
    expect(await progress.end('r', THREAD, true)).toBe('2.000002');
    expect(calls.at(-1)).toMatchObject({ method: 'chat.stopStream', params: { ts: '2.000002' } });
  });

  test('holds no address while it is streamed, since Slack might fetch it', async () => {
    const text =
      'See https://host.example/a.png?memory=1 and ![x](http://h.test/y) or www.site.example and it is 3.14. Well. ';
    const progress = live('text');
    for (const piece of text.match(/.{1,30}/g) ?? []) {
      progress.event(said(piece), THREAD);
      await vi.advanceTimersByTimeAsync(1600);
    }
    const streamed = seen()
      .map(([, shown]) => shown)
      .join('');
    expect(streamed.replaceAll('\u2060', '')).toBe(text);
    expect(streamed).not.toMatch(/:\/\/|\w\.\w|!\[|\]\(/);
    expect(seen().length).toBeGreaterThan(2);
  });

  test('that no answer follows is stopped and deleted', async () => {
    const progress = live('text');
    progress.event(said('Half a '), THREAD);
    await vi.advanceTimersByTimeAsync(1600);
    await progress.end('r', THREAD, false);
    expect(calls.map(({ method }) => method)).toEqual(['chat.startStream', 'chat.stopStream', 'chat.delete']);
  });

  test('is edited where it cannot be streamed: at the top of a chat, for nobody known, or where Slack refuses', async () => {
    const atTop = live('text');
    atTop.event(said('Hello there '), DM);
    await vi.advanceTimersByTimeAsync(1600);
    expect(seen()).toEqual([['chat.postMessage', 'Hello there']]);
    calls = [];
    const nobody = createNobody();
    nobody.event(said('Hello there '), THREAD);
    await vi.advanceTimersByTimeAsync(1600);
    expect(calls.map(({ method }) => method)).toEqual(['chat.postMessage']);
    calls = [];
    answer = async ({ method }) => (method === 'chat.startStream' ? refuse('unknown_method') : { ts: '2.000002' });
    const refused = live('text');
    refused.event(said('Hello there '), THREAD);
    await vi.advanceTimersByTimeAsync(1600);
    refused.event(said('and more '), THREAD);
    await vi.advanceTimersByTimeAsync(1600);
    expect(calls.map(({ method }) => method)).toEqual(['chat.startStream', 'chat.postMessage', 'chat.update']);
    expect(calls.at(-1)?.params.text).toBe('Hello there and more');
  });

  test('that the model begins again is no longer streamed, and void', async () => {
    const progress = live('text');
    progress.event(said('A wrong '), THREAD);
    await vi.advanceTimersByTimeAsync(1600);
    progress.event(event(), THREAD);
    progress.event(said('A right '), THREAD);
    await vi.advanceTimersByTimeAsync(3200);
    expect(seen()).toEqual([
      ['chat.startStream', 'A wrong '],
      ['chat.stopStream', undefined],
      ['chat.update', 'A right'],
    ]);
  });

  test('goes on by edits when a stream has run out', async () => {
    const progress = live('text');
    progress.event(said('First '), THREAD);
    await vi.advanceTimersByTimeAsync(1600);
    answer = async ({ method }) => (method === 'chat.appendStream' ? refuse('message_not_in_streaming_state') : {});
    progress.event(said('second '), THREAD);
    await vi.advanceTimersByTimeAsync(3200);
    expect(seen().at(-1)).toEqual(['chat.update', 'First second']);
    expect(await progress.end('r', THREAD, true)).toBe('2.000002');
  });
});

function createNobody() {
  return live('text', '');
}

describe('the sign that we are at work', () => {
  test('is in a channel’s thread within a second, costs a fast answer nothing, and is gone where none comes', async () => {
    const progress = live('status');
    progress.event(event(), THREAD);
    await vi.advanceTimersByTimeAsync(299);
    expect(signs).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    const place = { channel_id: 'C1', thread_ts: '1.000001' };
    expect(signs.map(({ params }) => params)).toEqual([{ ...place, status: 'is thinking…' }]);
    await progress.end('r', THREAD, false);
    expect(signs.at(-1)?.params).toEqual({ ...place, status: '' });
    expect(calls).toEqual([]);
  });

  test('is eyes on a direct message, which costs a fast answer nothing, and go with the run however it ends', async () => {
    const ts = `${Math.ceil(Date.now() / 1000) + 1}.000100`;
    const progress = live('status', 'U1', { answers: ts });
    const reactions = () => calls.filter(({ method }) => method.startsWith('reactions.'));
    const eyes = { channel: 'D1', timestamp: ts, name: 'eyes' };
    progress.event(event(), DM);
    await vi.advanceTimersByTimeAsync(299);
    expect(await progress.end('r', DM, true)).toBeUndefined();
    expect(calls).toEqual([]);
    for (const isAnswered of [true, false]) {
      calls = [];
      answer = async ({ at, method }) =>
        method === 'reactions.remove' && at < 2000 ? refuse('ratelimited', 2000) : {};
      progress.event(event(undefined, `r${isAnswered}`), DM);
      await vi.advanceTimersByTimeAsync(300);
      expect(calls).toMatchObject([{ method: 'reactions.add', params: eyes }]);
      await progress.end(`r${isAnswered}`, DM, isAnswered);
      await vi.advanceTimersByTimeAsync(5000);
      expect(reactions().at(-1)).toMatchObject({ method: 'reactions.remove', params: eyes });
    }
  });

  test('that an earlier process left on a direct message goes with a run that ends at once', async () => {
    const progress = live('status', 'U1', { answers: '1.000001' });
    progress.event(event(), DM);
    await progress.end('r', DM, true);
    expect(calls.map(({ method }) => method)).toEqual(['reactions.remove']);
  });

  test('does not come where it is refused, and nothing else suffers', async () => {
    const progress = live('status', 'U1', { answers: '1.000001' });
    answer = async ({ method }) => (method.startsWith('reactions.') ? refuse('missing_scope') : { ts: '2.000002' });
    progress.event(event(), DM);
    await vi.advanceTimersByTimeAsync(3100);
    expect(calls.map(({ method }) => method)).toEqual(['reactions.add', 'chat.postMessage']);
    expect(await progress.end('r', DM, true)).toBe('2.000002');
  });

  test('is not said after the answer, and not again where it is refused', async () => {
    const late = Promise.withResolvers<Record<string, unknown>>();
    answer = ({ method }) => (method.startsWith('assistant') ? late.promise : Promise.resolve({ ts: '2.000002' }));
    const progress = live('status');
    progress.event(event(), THREAD);
    await vi.advanceTimersByTimeAsync(400);
    const ended = progress.end('r', THREAD, true);
    late.reject(new SlackError('refused', 'assistant.threads.setStatus: missing_scope', { code: 'missing_scope' }));
    await ended;
    progress.event(event(undefined, 'second'), THREAD);
    await vi.advanceTimersByTimeAsync(400);
    expect(signs).toHaveLength(1);
  });
});
