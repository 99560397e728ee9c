/** From the bus to conversations: what they are told, with what at hand, and for how long. */
import { describe, expect, it, vi } from 'vitest';
import type { Address, AgentStreamEvent, Channel, LiveView } from '../../../src/channels/channel.ts';
import { silentLog } from '../../../src/log.ts';
import { messagesIn } from '../../../src/messages/messages.ts';
import { createInterrupt } from '../../../src/runtime/commands/interrupt.ts';
import type { ConversationSetting } from '../../../src/runtime/conversations/conversations.ts';
import { featureSet } from '../../../src/runtime/features.ts';
import { createBus } from '../../../src/runtime/live/bus.ts';
import { LiveProgress } from '../../../src/runtime/live/live.ts';
import { FEATURES } from '../../helpers/features.ts';
import { partsOf } from '../../helpers/gateway.ts';
import { memoryCache } from '../../helpers/memory-cache.ts';

// The words for the tools of features are known once their set is made.
featureSet(FEATURES);

const HERE: Address = { channel: 'telegram', account: '7', chat: '1' };
const THERE: Address = { channel: 'telegram', account: '7', chat: '2' };

type Rest = Partial<AgentStreamEvent> & { type: AgentStreamEvent['type'] };

function start(
  options: {
    channel?: Partial<Channel>;
    progress?: () => Promise<{ done: number; total: number }>;
    cache?: ReturnType<typeof memoryCache>;
  } = {},
) {
  const seen: { event: AgentStreamEvent; address: Address; view: LiveView }[] = [];
  const settings: ConversationSetting = {};
  const bus = createBus((error) => {
    throw error;
  });
  const offer = vi.fn(async (_address: Address, rows: { label: string }[][]) =>
    rows.map((row) => row.map(({ label }) => ({ id: `id-${label}`, label }))),
  );
  const progressOf = vi.fn(options.progress ?? (async () => ({ done: 2, total: 5 })));
  const channel: Partial<Channel> = {
    id: 'telegram',
    stream: async (event, address, view) => void seen.push({ event, address, view }),
    livePace: ({ chat }) => ({ key: chat, gapMs: 0 }),
    ...options.channel,
  };
  const live = new LiveProgress({
    messagesAt: () => messagesIn('en'),
    ...{
      bus,
      settings: { get: () => settings },
      buttons: { offer },
      isBusy: () => false,
      progressOf,
      log: silentLog(),
      cache: options.cache ?? memoryCache(),
    },
    channelOf: () => channel as Channel,
  });
  const emit = (rest: Rest, runId = 'r') =>
    bus.emit({ agentId: 'viber', taskId: 't-1', runId, ...rest } as AgentStreamEvent);
  return { live, emit, seen, settings, offer, progressOf };
}

describe('a conversation that follows a run', () => {
  it('is told its visible text and nothing of its blocks, and again from the start when the model begins again', () => {
    const { live, emit, seen } = start();
    live.follow('r', [HERE, THERE, HERE]);
    emit({ type: 'text-delta', content: 'Hello the' });
    emit({ type: 'text-delta', content: 're \n```artifact_deltas\n[{"title":"x"}]\n' });
    emit({ type: 'state-change', state: 'thinking' });
    emit({ type: 'text-delta', content: 'Hi you ' });
    const texts = seen.flatMap(({ event }) => (event.type === 'text-delta' ? [event.content] : []));
    expect(texts).toEqual(['Hello ', 'Hello ', 'there \n', 'there \n', 'Hi you ', 'Hi you ']);
    expect(new Set(seen.map(({ view }) => view)).size).toBe(2);
  });

  it('says in plain words what is done; what a model made up is not repeated', async () => {
    const { live, emit, seen } = start();
    live.follow('r', [HERE]);
    emit({ type: 'state-change', state: 'thinking' });
    const line = () => seen[0]?.view.line();
    expect(line()).toBe('Working: thinking … 0 s');
    await seen[0]?.view.turn();
    expect(line()).toBe('Working (2/5): thinking … 0 s');
    const words: Record<string, [string, unknown]> = {
      'writing notes.md': ['write_file', { path: '/srv/viber/artifacts/notes.md' }],
      'reading x.md': ['read_file', { path: 'D:\\work\\x.md' }],
      'writing all': ['create_artifact', { title: '@all\u202e' }],
      'writing a file': ['create_artifact', { title: { secret: 1 } }],
      'using run tests': ['run_tests', { command: 'rm -rf /' }],
      'using a tool': ['<!channel> {"json": true}', {}],
      'looking through memory': ['memory_search', null],
    };
    for (const [shown, [tool, args]] of Object.entries(words)) {
      emit({ type: 'tool-call', tool, args });
      expect(seen[0]?.view.words).toBe(shown);
    }
  });

  it('reads the plan when it is shown, and again only after a tool', async () => {
    const { live, emit, seen, progressOf } = start();
    live.follow('r', [HERE]);
    emit({ type: 'state-change', state: 'thinking' });
    expect(progressOf).not.toHaveBeenCalled();
    await seen[0]?.view.turn();
    await seen[0]?.view.turn();
    expect(progressOf).toHaveBeenCalledTimes(1);
    emit({ type: 'tool-result', tool: 'update_plan', result: {} });
    await seen[0]?.view.turn();
    expect(progressOf.mock.calls).toEqual([['t-1'], ['t-1']]);
  });

  it('has a button to stop, made once and only when it is asked for', async () => {
    const { live, emit, seen, offer } = start();
    live.follow('r', [HERE]);
    emit({ type: 'state-change', state: 'thinking' });
    expect(offer).not.toHaveBeenCalled();
    expect(await seen[0]?.view.buttons()).toEqual([[{ id: 'id-Stop', label: 'Stop' }]]);
    await seen[0]?.view.buttons();
    expect(offer.mock.calls).toEqual([[HERE, [[{ label: 'Stop', command: 'stop', args: 't-1' }]]]]);
  });

  it('is shown what it has chosen, from that moment on', () => {
    const { live, emit, seen, settings } = start();
    live.follow('r', [HERE]);
    emit({ type: 'state-change', state: 'thinking' });
    expect(seen[0]?.view.mode).toBeUndefined();
    settings.live = 'off';
    expect(seen[0]?.view.mode).toBe('off');
  });

  it('has no turn after the end, and hears nothing', async () => {
    const ended: [string, boolean][] = [];
    const endStream = async (_run: string, { chat }: Address, isAnswered: boolean) => {
      ended.push([chat, isAnswered]);
      return isAnswered ? `status-${chat}` : undefined;
    };
    const { live, emit, seen } = start({ channel: { endStream, livePace: () => ({ key: 'k', gapMs: 60_000 }) } });
    live.follow('r', [HERE, THERE]);
    emit({ type: 'state-change', state: 'thinking' });
    const [first, second] = seen.map(({ view }) => view);
    expect(await first?.turn()).toBe(true);
    const waiting = second?.turn();
    const placeholders = await live.end('r', [HERE]);
    expect([...placeholders.values()]).toEqual(['status-1']);
    expect(ended).toEqual([
      ['1', true],
      ['2', false],
    ]);
    expect(await waiting).toBe(false);
    expect(await first?.turn()).toBe(false);
    emit({ type: 'state-change', state: 'thinking' });
    expect(seen).toHaveLength(2);
  });

  it('goes on when a channel fails, or the plan cannot be read', async () => {
    const fails = async () => {
      throw new Error('broken');
    };
    const { live, emit } = start({ channel: { stream: fails } });
    live.follow('r', [HERE]);
    expect(() => emit({ type: 'state-change', state: 'thinking' })).not.toThrow();
    const other = start({ progress: fails });
    other.live.follow('r', [HERE]);
    other.emit({ type: 'state-change', state: 'thinking' });
    expect(await other.seen[0]?.view.turn()).toBe(true);
  });
});

describe('an interrupt', () => {
  it('stops what runs in the conversation: everything, or what one agent does', async () => {
    const { live, emit } = start();
    const stopped: string[] = [];
    const interrupt = createInterrupt(
      partsOf({
        places: { live },
        tasks: { conversations: { get: () => undefined } },
        engine: {
          queue: { look: async () => ({ depth: 0, busy: true }), signal: async (lane) => stopped.push(lane) > 0 },
        },
        consent: { approvals: { open: () => [] } },
        log: silentLog(),
      }),
    );
    live.follow('r1', [HERE]);
    live.follow('r2', [HERE, THERE]);
    emit({ type: 'state-change', state: 'thinking', taskId: 't-1', agentId: 'a' }, 'r1');
    emit({ type: 'state-change', state: 'thinking', taskId: 't-2', agentId: 'b' }, 'r2');
    const signal = { type: 'interrupt', targetAgentId: '*', reason: 'enough' } as const;
    expect(await interrupt(signal, THERE)).toEqual(['t-2']);
    expect(await interrupt({ ...signal, targetAgentId: 'a' }, HERE)).toEqual(['t-1']);
    expect(await interrupt({ ...signal, targetAgentId: 'a' }, THERE)).toEqual([]);
    expect(await interrupt(signal, HERE)).toEqual(['t-1', 't-2']);
    expect(stopped).toEqual(['task:t-2', 'task:t-1', 'task:t-1', 'task:t-2']);
  });

  it('reaches the task of the conversation before that has told anything, and tells nobody of what nobody works on', async () => {
    const { live } = start();
    const binding = { key: 'k', taskId: 't-9', viber: 'default', address: HERE, isDirect: true, boundAt: '' };
    const interruptWith = (isOwned: boolean) =>
      createInterrupt(
        partsOf({
          places: { live },
          tasks: { conversations: { get: () => binding } },
          engine: { queue: { look: async () => ({ depth: 0, busy: isOwned }), signal: async () => isOwned } },
          consent: { approvals: { open: () => [] } },
          log: silentLog(),
        }),
      );
    const signal = { type: 'interrupt', targetAgentId: 'default', reason: '' } as const;
    expect(await interruptWith(true)(signal, HERE)).toEqual(['t-9']);
    expect(await interruptWith(false)(signal, HERE)).toEqual([]);
  });

  it('goes on after a crash with the message that was shown before it, and with none that became an answer', async () => {
    const kept = new Map<string, string>();
    const shown: (string | undefined)[] = [];
    const channel: Partial<Channel> = {
      stream: async (_event, _address, view) => void shown.push(view.kept),
      endStream: async () => '77',
    };
    const first = start({ cache: memoryCache(kept), channel });
    await first.live.follow('r', [HERE, THERE]);
    first.emit({ type: 'state-change', state: 'thinking' });
    const views: LiveView[] = [];
    const second = start({
      cache: memoryCache(kept),
      channel: { ...channel, stream: async (_event, _address, view) => void views.push(view) },
    });
    await second.live.follow('r', [HERE, THERE]);
    second.emit({ type: 'state-change', state: 'thinking' });
    views[0]?.keep('77');
    expect(kept.size).toBe(1);
    // Another process.
    const third = start({ cache: memoryCache(kept), channel });
    await third.live.follow('r', [HERE, THERE], true);
    expect(shown).toEqual([undefined, undefined, '77']);
    await third.live.end('r', [HERE]);
    expect(kept.size).toBe(0);
    views[0]?.keep('78');
    const fourth = start({ cache: memoryCache(), channel });
    await fourth.live.follow('r', [HERE, THERE], true);
    expect(shown).toHaveLength(3);
  });

  it('is not held up by a cache that fails', async () => {
    const broken = () => Promise.reject(new Error('no disk'));
    const cache = { get: broken, set: broken, delete: broken, close: async () => undefined };
    const { live, emit, seen } = start({ cache });
    await live.follow('r', [HERE], true);
    emit({ type: 'state-change', state: 'thinking' });
    seen[0]?.view.keep('1');
    await expect(live.end('r', [HERE])).resolves.toEqual(new Map());
  });
});
