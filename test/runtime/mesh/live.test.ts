/** Who is at work for whom, as conversations see it, and an interrupt that names an agent (C38). */
import { describe, expect, it } from 'vitest';
import type { Address, AgentStreamEvent, Channel, LiveView } from '../../../src/channels/channel.ts';
import { silentLog } from '../../../src/log.ts';
import { messagesIn } from '../../../src/messages/messages.ts';
import { createInterrupt } from '../../../src/runtime/commands/interrupt.ts';
import { featureSet } from '../../../src/runtime/features.ts';
import { createBus } from '../../../src/runtime/live/bus.ts';
import { LiveProgress } from '../../../src/runtime/live/live.ts';
import { FEATURES } from '../../helpers/features.ts';
import { partsOf } from '../../helpers/gateway.ts';
import { memoryCache } from '../../helpers/memory-cache.ts';

const HERE: Address = { channel: 'telegram', account: '7', chat: '1' };

function start() {
  featureSet(FEATURES);
  const views = new Set<LiveView>();
  const log = silentLog();
  const bus = createBus((error) => {
    throw error;
  });
  const channel: Partial<Channel> = { id: 'telegram', stream: async (_event, _address, view) => void views.add(view) };
  const live = new LiveProgress({
    messagesAt: () => messagesIn('en'),
    ...{ bus, log, settings: { get: () => ({}) }, buttons: { offer: async () => [] }, isBusy: () => false },
    cache: memoryCache(),
    ...{ progressOf: async () => undefined, channelOf: () => channel as Channel },
  });
  live.follow('r', [HERE]);
  const emit = (agentId: string, rest: Partial<AgentStreamEvent>) =>
    bus.emit({ taskId: 't-1', runId: 'r', agentId, ...rest } as AgentStreamEvent);
  const stopped: string[] = [];
  const interrupt = createInterrupt(
    partsOf({
      places: { live },
      tasks: { conversations: { get: () => undefined } },
      engine: {
        queue: { look: async () => ({ depth: 0, busy: true }), signal: async (lane) => stopped.push(lane) > 0 },
      },
      consent: { approvals: { open: () => [] } },
      log,
    }),
  );
  const words = () => [...views].map((view) => view.words);
  return {
    emit,
    words,
    stopped,
    stop: (targetAgentId: string) => interrupt({ type: 'interrupt', targetAgentId, reason: 'no' }, HERE),
  };
}

describe('a run in which one agent asks another', () => {
  it('shows who works', () => {
    const { emit, words } = start();
    emit('default', { type: 'state-change', state: 'thinking' });
    expect(words()).toEqual(['thinking']);
    emit('default', { type: 'tool-call', tool: 'ask_agent', args: { agent: 'coder' } });
    expect(words()).toEqual(['asking coder']);
    emit('coder', { type: 'tool-call', tool: 'create_artifact', args: { title: 'plan.md' } });
    expect(words()).toEqual(['coder: writing plan.md']);
    emit('default', { type: 'state-change', state: 'thinking' });
    expect(words()).toEqual(['thinking']);
  });

  it('is stopped by an interrupt for either of them while both are at it, and for nobody else', async () => {
    const { emit, stop, stopped } = start();
    emit('default', { type: 'state-change', state: 'thinking' });
    expect(await stop('coder')).toEqual([]);
    emit('coder', { type: 'state-change', state: 'thinking' });
    expect(await stop('writer')).toEqual([]);
    expect(await stop('coder')).toEqual(['t-1']);
    expect(await stop('default')).toEqual(['t-1']);
    emit('default', { type: 'state-change', state: 'thinking' });
    expect(await stop('coder')).toEqual([]);
    expect(stopped).toEqual(['task:t-1', 'task:t-1']);
  });
});
