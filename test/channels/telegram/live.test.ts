import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Address, AgentStreamEvent, LiveMode } from '../../../src/channels/channel.ts';
import { createLive } from '../../../src/channels/telegram/adapter.ts';
import { type TelegramApi, TelegramError } from '../../../src/channels/telegram/connect/api.ts';
import { renderTelegram } from '../../../src/channels/telegram/send/render.ts';
import { silentLog } from '../../../src/log.ts';
import { createViews, type ViewOptions } from '../live-views.ts';

const HERE = { channel: 'telegram', account: '7', chat: '1001' };
const GROUP = { channel: 'telegram', account: '7', chat: '-5', thread: '9' };

interface Call {
  method: string;
  params: Record<string, unknown>;
  /** Milliseconds since the start of the test. */
  at: number;
}

let calls: Call[];
let answer: (call: Call) => Promise<unknown>;

function live(mode: LiveMode, options: ViewOptions = {}) {
  const start = Date.now();
  const api: TelegramApi = {
    call: (method, params) => {
      const call = { method, params: { ...params }, at: Date.now() - start };
      calls.push(call);
      return answer(call);
    },
    fileUrl: () => '',
  };
  const progress = createLive({ api, mode, log: silentLog() });
  const views = createViews(options);
  return {
    ...progress,
    event: (event: AgentStreamEvent, address: Address) => progress.event(event, address, views(event, address)),
  };
}

function event(
  runId: string,
  rest: Record<string, unknown> = { type: 'state-change', state: 'thinking' },
): AgentStreamEvent {
  return { agentId: 'a', taskId: 't', runId, ...rest } as AgentStreamEvent;
}

const tool = (name: string, args: object) => event('r', { type: 'tool-call', tool: name, args });
const said = (content: string) => event('r', { type: 'text-delta', content });
const shown = () => calls.filter(({ method }) => method !== 'sendChatAction');
const texts = () => shown().map(({ params }) => params.text);

// The parser is loaded when it is first needed, which takes more than a moment of the clock that is not ours.
beforeAll(() =>
  renderTelegram({ id: '', address: HERE, text: '**x**', files: [] }, { text: 1, uploadBytes: 0, downloadBytes: 0 }),
);
beforeEach(() => {
  vi.useFakeTimers();
  calls = [];
  answer = async () => ({ message_id: 42 });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('typing', () => {
  it('costs a fast answer nothing', async () => {
    const progress = live('status');
    progress.event(event('r'), HERE);
    await vi.advanceTimersByTimeAsync(399);
    expect(await progress.end('r', HERE, true)).toBeUndefined();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(calls).toEqual([]);
  });

  it('starts after 400 ms, goes on every 5 s and ends with the run', async () => {
    const progress = live('status');
    progress.event(event('r'), GROUP);
    await vi.advanceTimersByTimeAsync(11_000);
    const typing = calls.filter(({ method }) => method === 'sendChatAction');
    expect(typing.map(({ at }) => at)).toEqual([400, 5400, 10_400]);
    expect(typing[0]?.params).toEqual({ chat_id: '-5', message_thread_id: 9, action: 'typing' });
    await progress.end('r', GROUP, true);
    const before = calls.length;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(calls.length).toBe(before);
  });

  it('rests while the run waits for a person', async () => {
    const progress = live('status');
    progress.event(event('r', { type: 'state-change', state: 'waiting-approval' }), HERE);
    await vi.advanceTimersByTimeAsync(2900);
    expect(calls).toEqual([]);
  });

  it('is off where live is off', async () => {
    const progress = live('off');
    progress.event(event('r'), HERE);
    await vi.advanceTimersByTimeAsync(60_000);
    expect([calls, await progress.end('r', HERE, true)]).toEqual([[], undefined]);
  });
});

describe('the status message', () => {
  it('comes after 3 s, says the tool in plain words and is edited', async () => {
    const progress = live('status');
    progress.event(event('r'), HERE);
    progress.event(tool('write_file', { path: 'plan.md' }), HERE);
    await vi.advanceTimersByTimeAsync(2999);
    expect(shown()).toEqual([]);
    await vi.advanceTimersByTimeAsync(3500);
    expect(texts()).toEqual(['Working: writing plan.md … 3 s', 'Working: writing plan.md … 6 s']);
    expect(shown()[0]).toMatchObject({
      method: 'sendMessage',
      params: { chat_id: '1001', disable_notification: true },
    });
    expect(shown()[1]).toMatchObject({ method: 'editMessageText', params: { message_id: 42 } });
    const stop = { reply_markup: { inline_keyboard: [[{ text: 'Stop', callback_data: 'stop-id' }]] } };
    expect(shown().map(({ params }) => params)).toMatchObject([stop, stop]);
    expect(await progress.end('r', HERE, true)).toBe('42');
  });

  it('is asked for its turn, and makes its button, only once it is there to be shown', async () => {
    const turn = vi.fn(async () => true);
    const buttons = vi.fn(async () => []);
    const progress = live('status', { turn, buttons });
    progress.event(event('r'), HERE);
    await vi.advanceTimersByTimeAsync(2900);
    await progress.end('r', HERE, true);
    expect([turn.mock.calls.length, buttons.mock.calls.length, shown()]).toEqual([0, 0, []]);
  });

  it('waits for its turn, and shows what holds then', async () => {
    const mine = Promise.withResolvers<boolean>();
    const progress = live('status', { turn: () => mine.promise });
    progress.event(event('r'), HERE);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(shown()).toEqual([]);
    progress.event(tool('list_files', {}), HERE);
    mine.resolve(true);
    await vi.advanceTimersByTimeAsync(0);
    expect(texts()).toEqual(['Working: looking at the files … 10 s']);
  });

  it('of a long run is deleted, however often that must be tried, and the answer is a new message', async () => {
    const progress = live('status');
    progress.event(event('r'), HERE);
    await vi.advanceTimersByTimeAsync(31_000);
    let failures = 2;
    answer = async () => {
      if (failures-- > 0) throw new TelegramError('lost', 'no answer in time');
      return true;
    };
    expect(await progress.end('r', HERE, true)).toBeUndefined();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(
      shown()
        .slice(-3)
        .map(({ method }) => method),
    ).toEqual(['deleteMessage', 'deleteMessage', 'deleteMessage']);
  });

  it('an answer waits 1.5 s at most for a call under way, whose message is then taken away', async () => {
    const sent = Promise.withResolvers<unknown>();
    answer = ({ method }) => (method === 'sendMessage' ? sent.promise : Promise.resolve(true));
    const progress = live('status');
    progress.event(event('r'), HERE);
    await vi.advanceTimersByTimeAsync(3100);
    const ended = progress.end('r', HERE, true);
    await vi.advanceTimersByTimeAsync(1600);
    expect(await ended).toBeUndefined();
    sent.resolve({ message_id: 43 });
    await vi.advanceTimersByTimeAsync(10);
    expect(shown().at(-1)).toMatchObject({ method: 'deleteMessage', params: { message_id: 43 } });
  });

  it('is shown as the conversation has chosen, and goes when it is switched off', async () => {
    const chosen: ViewOptions = { mode: 'off' };
    const progress = live('text', chosen);
    progress.event(event('r'), HERE);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(calls).toEqual([]);
    chosen.mode = 'status';
    progress.event(said('a draft '), HERE);
    await vi.advanceTimersByTimeAsync(3000);
    expect(texts()).toEqual([expect.stringMatching(/^Working: thinking/)]);
    chosen.mode = 'off';
    progress.event(said('more '), HERE);
    await vi.advanceTimersByTimeAsync(100);
    expect(shown().at(-1)?.method).toBe('deleteMessage');
    const before = calls.length;
    await vi.advanceTimersByTimeAsync(20_000);
    expect([calls.length, await progress.end('r', HERE, true)]).toEqual([before, undefined]);
  });

  it('tells everybody who shows progress there of a 429', async () => {
    const onLimited = vi.fn();
    answer = async ({ method }) => {
      if (method === 'sendMessage') throw new TelegramError('refused', 'slow', { code: 429, retryAfterMs: 7000 });
      return true;
    };
    const progress = live('status', { onLimited });
    progress.event(event('r'), HERE);
    await vi.advanceTimersByTimeAsync(3100);
    expect(onLimited).toHaveBeenCalledWith(7000);
  });

  it('is edited at most every 3 s, more rarely in a long run and in groups', async () => {
    const progress = live('status');
    progress.event(event('r'), HERE);
    await vi.advanceTimersByTimeAsync(600_000);
    const edits = (chat: string) =>
      shown()
        .filter(({ params }) => params.chat_id === chat)
        .map(({ at }) => at);
    const gaps = edits('1001').map((at, index, all) => at - (all[index - 1] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(3000);
    expect(edits('1001').length).toBeLessThan(60);
    // A chat takes 60 messages a minute, a group 20, its topics together.
    expect(60_000 / progress.pace(HERE).gapMs).toBeLessThanOrEqual(30);
    expect(60_000 / progress.pace(GROUP).gapMs).toBeLessThanOrEqual(10);
    expect(progress.pace(GROUP).key).toBe(progress.pace({ ...GROUP, thread: '10' }).key);
  });

  it('shows what the model titles something as one short line that mentions nobody', async () => {
    const progress = live('status');
    progress.event(tool('create_artifact', { title: `@all\n${'x'.repeat(200)}` }), HERE);
    await vi.advanceTimersByTimeAsync(3000);
    expect(texts()).toEqual([expect.stringMatching(/^Working: writing all x{30,50}… … 3 s$/)]);
  });

  it('end waits for the call under way and nothing follows it', async () => {
    const sent = Promise.withResolvers<unknown>();
    answer = ({ method }) => (method === 'sendMessage' ? sent.promise : Promise.resolve(true));
    const progress = live('status');
    progress.event(event('r'), HERE);
    await vi.advanceTimersByTimeAsync(3100);
    let id: string | undefined;
    void progress.end('r', HERE, true).then((given) => {
      id = given;
    });
    await vi.advanceTimersByTimeAsync(100);
    expect(id).toBeUndefined();
    sent.resolve({ message_id: 43 });
    await vi.advanceTimersByTimeAsync(0);
    expect(id).toBe('43');
    const before = calls.length;
    progress.event(tool('write_file', { path: 'late.md' }), HERE);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(calls.length).toBe(before);
  });

  it('429 quiets the chat, and only that one, for as long as Telegram says', async () => {
    answer = async ({ params, at }) => {
      if (params.chat_id === '1001' && at < 1000)
        throw new TelegramError('refused', 'Too Many Requests', { code: 429, retryAfterMs: 20_000 });
      return { message_id: 42 };
    };
    const progress = live('status');
    progress.event(event('r'), HERE);
    progress.event(event('g'), GROUP);
    await vi.advanceTimersByTimeAsync(20_300);
    expect(calls.filter(({ params }) => params.chat_id === '1001').length).toBe(1);
    expect(calls.filter(({ params }) => params.chat_id === '-5').length).toBeGreaterThan(4);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(calls.filter(({ params }) => params.chat_id === '1001').length).toBeGreaterThan(2);
  });

  it.each([
    ['blocked by the person', 403, 'Forbidden: bot was blocked by the user'],
    ['no such chat', 400, 'Bad Request: chat not found'],
  ])('goes silent when %s', async (_what, code, description) => {
    answer = async () => {
      throw new TelegramError('refused', description, { code });
    };
    const progress = live('status');
    progress.event(event('r'), HERE);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(calls.length).toBe(1);
    expect(await progress.end('r', HERE, true)).toBeUndefined();
  });

  it('that a person deleted is not given to the answer', async () => {
    answer = async ({ method }) => {
      if (method === 'editMessageText')
        throw new TelegramError('refused', 'Bad Request: message to edit not found', { code: 400 });
      return { message_id: 42 };
    };
    const progress = live('status');
    progress.event(event('r'), HERE);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await progress.end('r', HERE, true)).toBeUndefined();
  });

  it('survives a platform that fails', async () => {
    answer = async () => {
      throw new TelegramError('lost', 'no answer in time');
    };
    const progress = live('status');
    progress.event(event('r'), HERE);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await progress.end('r', HERE, true)).toBeUndefined();
  });
});

describe('the text so far', () => {
  it('is shown in private chats, at most every 1.5 s, without what came before a tool', async () => {
    const progress = live('text');
    progress.event(said('Let me see'), HERE);
    await vi.advanceTimersByTimeAsync(1500);
    progress.event(tool('read_file', { path: 'a.md' }), HERE);
    for (const word of ['The', ' plan', ' is', ' good']) {
      progress.event(said(word), HERE);
      await vi.advanceTimersByTimeAsync(500);
    }
    await vi.advanceTimersByTimeAsync(1500);
    expect(texts()).toEqual(['Let me see', 'The plan is', 'The plan is good']);
    expect(await progress.end('r', HERE, true)).toBe('42');
  });

  it('is shown with entities, and what the model begins again is gone', async () => {
    const progress = live('text');
    progress.event(said('**Bold** and [here](https://evil.example) '), HERE);
    await vi.advanceTimersByTimeAsync(1500);
    expect(shown()[0]?.params).toMatchObject({
      entities: expect.arrayContaining([expect.objectContaining({ type: 'bold' })]),
    });
    expect(String(shown()[0]?.params.text)).not.toContain('**');
    progress.event(event('r'), HERE);
    progress.event(said('Other '), HERE);
    await vi.advanceTimersByTimeAsync(2000);
    expect(texts().at(-1)).toBe('Other');
  });

  it('stays below the limit of a message and is then left alone', async () => {
    const progress = live('text');
    for (let index = 0; index < 20; index++) {
      progress.event(said('😀'.repeat(200)), HERE);
      await vi.advanceTimersByTimeAsync(1500);
    }
    expect(Math.max(...texts().map((text) => String(text).length))).toBeLessThanOrEqual(4096);
    expect(shown().length).toBeLessThan(14);
  });

  it('is only a status in groups', async () => {
    const progress = live('text');
    progress.event(said('secret draft'), GROUP);
    await vi.advanceTimersByTimeAsync(4000);
    expect(texts()).toEqual(['Working: thinking … 3 s']);
  });

  it('a run of white space does not stop it', async () => {
    const progress = live('text');
    progress.event(said('\n'), HERE);
    await vi.advanceTimersByTimeAsync(1500);
    expect(texts()).toEqual(['Working: thinking … 2 s']);
  });
});

it('holds at most 500 runs, ended or not', async () => {
  const progress = live('status');
  for (let run = 0; run < 3000; run++) progress.event(event(`r${run}`), HERE);
  await vi.advanceTimersByTimeAsync(500);
  expect(calls.length).toBe(500);
  progress.close();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(calls.length).toBe(500);
});

describe('a draft', () => {
  const text: ViewOptions = { mode: 'text', answers: '7' };
  const drafts = () => calls.filter(({ method }) => method === 'sendMessageDraft');
  const chatOf = ({ params }: Call) => params.chat_id;

  it('shows the answer as it grows where one person reads, and the answer is a message of its own', async () => {
    const progress = live('text', text);
    progress.event(event('r'), HERE);
    progress.event(said('Milk and **eggs**'), HERE);
    await vi.advanceTimersByTimeAsync(1600);
    expect(drafts()[0]?.params).toMatchObject({ chat_id: '1001', text: 'Milk and eggs', can_stop: true });
    progress.event(said(', and bread'), HERE);
    await vi.advanceTimersByTimeAsync(3000);
    expect(new Set(drafts().map(({ params }) => params.draft_id)).size).toBe(1);
    expect(drafts().at(-1)?.params.text).toBe('Milk and eggs, and bread');
    expect(await progress.end('r', HERE, true)).toBeUndefined();
    expect(calls.map(({ method }) => method)).not.toContain('sendMessage');
  });

  it('is renewed before Telegram lets it fade', async () => {
    const progress = live('text', text);
    progress.event(event('r'), HERE);
    await vi.advanceTimersByTimeAsync(600_000);
    const times = drafts().map(({ at }) => at);
    expect(times.length).toBeGreaterThan(20);
    expect(Math.max(...times.slice(1).map((at, index) => at - (times[index] ?? 0)))).toBeLessThan(30_000);
  });

  it('is an edited message where the server knows no drafts, and in groups', async () => {
    answer = async ({ method }) => {
      if (method === 'sendMessageDraft') throw new TelegramError('refused', 'Not Found', { code: 404 });
      return { message_id: 42 };
    };
    const progress = live('text', text);
    progress.event(event('r'), HERE);
    progress.event(said('Milk'), HERE);
    await vi.advanceTimersByTimeAsync(1600);
    progress.event(said(' and eggs'), HERE);
    await vi.advanceTimersByTimeAsync(2000);
    expect(drafts()).toHaveLength(1);
    expect(await progress.end('r', HERE, true)).toBe('42');
    calls = [];
    progress.event({ ...event('g'), runId: 'g' }, GROUP);
    await vi.advanceTimersByTimeAsync(8000);
    expect(drafts()).toEqual([]);
  });

  it('that one chat refuses is an edited message there, and a draft in every other', async () => {
    answer = async ({ method, params }) => {
      if (method === 'sendMessageDraft' && params.chat_id === HERE.chat)
        throw new TelegramError('refused', 'Bad Request: message thread not found', { code: 400 });
      return { message_id: 42 };
    };
    const progress = live('text', text);
    for (const [n, chat] of ['1001', '2002', '1001'].entries()) {
      const address = { ...HERE, chat };
      progress.event(event(`r${n}`, { type: 'text-delta', content: 'Milk and eggs' }), address);
      await vi.advanceTimersByTimeAsync(4000);
      await progress.end(`r${n}`, address, true);
    }
    const where = (method: string) => new Set(calls.filter((call) => call.method === method).map(chatOf));
    expect(drafts().filter((call) => chatOf(call) === '1001')).toHaveLength(1);
    expect([where('sendMessageDraft'), where('sendMessage')]).toEqual([new Set(['1001', '2002']), new Set(['1001'])]);
  });
});

describe('the sign that a message was seen', () => {
  const marks = () => calls.filter(({ method }) => method === 'setMessageReaction').map(({ params }) => params);

  it('is on the message while the work goes on, and costs a fast answer nothing', async () => {
    const progress = live('status', { answers: '7' });
    progress.event(event('r'), GROUP);
    await vi.advanceTimersByTimeAsync(399);
    expect(marks()).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    const eyes = { chat_id: '-5', message_id: 7, reaction: [{ type: 'emoji', emoji: '👀' }] };
    expect(marks()).toEqual([eyes]);
    await progress.end('r', GROUP, true);
    await vi.advanceTimersByTimeAsync(0);
    expect(marks()).toEqual([eyes, { ...eyes, reaction: [] }]);
  });

  it('is left out where reactions are not allowed, and nothing else suffers', async () => {
    answer = async ({ method }) => {
      if (method === 'setMessageReaction') throw new TelegramError('refused', 'REACTION_INVALID', { code: 400 });
      return { message_id: 42 };
    };
    const progress = live('status', { answers: '7' });
    progress.event(event('r'), GROUP);
    await vi.advanceTimersByTimeAsync(7000);
    expect(calls.map(({ method }) => method)).toContain('sendMessage');
    await progress.end('r', GROUP, true);
    expect(marks()).toHaveLength(1);
  });
});
