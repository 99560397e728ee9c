/** Agents between a real home, the real model client and the emulated model; the rest of the gateway is left out. */

import fs from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { Principal } from '../../../src/access/principal.ts';
import type { AgentStreamEvent } from '../../../src/channels/channel.ts';
import { loadAgent } from '../../../src/config.ts';
import { askAgent } from '../../../src/features/agents/ask-agent.ts';
import { delegate } from '../../../src/features/agents/delegate.ts';
import { type MeshLimits, meshOf } from '../../../src/features/agents/mesh/mesh.ts';
import { type CostLimits, Costs } from '../../../src/features/costs/costs.ts';
import { createMeter } from '../../../src/features/costs/meter.ts';
import { createAgent } from '../../../src/runtime/agent/agent.ts';
import type { Order } from '../../../src/runtime/contract/order.ts';
import { runAgent } from '../../../src/runtime/run/assemble.ts';
import type { Gateway } from '../../../src/runtime/run/gateway.ts';
import { openTask } from '../../../src/workspace/tasks/index.ts';
import { saveTask } from '../../../src/workspace/tasks/record.ts';
import type { TaskRecord } from '../../../src/workspace/types.ts';
import { type LlmRequest, startLlm } from '../../emulators/llm.ts';
import { openTestGateway } from '../../helpers/gateway.ts';
import { modelsOf, QUICK } from '../agent/fixtures.ts';

export const ALEX: Principal = {
  channel: 'telegram',
  account: '1',
  user: '1001',
  name: 'Alex',
  role: 'owner',
  via: 'message',
};

export const TASK: TaskRecord = {
  ...{ id: '20261121-abcde', viber: 'default', goal: 'the goal', title: 'the goal', state: 'running', runs: 0 },
  ...{
    people: ['telegram:1001'],
    conversations: [],
    createdAt: '2026-11-21T00:00:00Z',
    updatedAt: '2026-11-21T00:00:00Z',
  },
};

/** Who a request was made for. */
export const workerOf = ({ system }: LlmRequest): string => /You are the viber "([\w-]+)"/.exec(system)?.[1] ?? '';

export interface MeshWorldOptions {
  /** `agents/{id}.yaml` by id. */
  agents?: Record<string, string>;
  limits?: Partial<MeshLimits>;
  caps?: Partial<CostLimits>;
}

export async function openMeshWorld({ agents = {}, limits, caps }: MeshWorldOptions = {}) {
  const llm = await startLlm();
  onTestFinished(() => llm.close());
  const open = await openTestGateway({
    config: { model: 'local/test-model', mesh: { maxDepth: 3, maxCalls: 20, ...limits } },
  });
  const { home, log } = open.gw;
  const { bus } = open.gw.tasks;
  const old = new Date(Date.now() - 10_000);
  const write = (id: string, text: string) => {
    const file = path.join(home.agents, `${id}.yaml`);
    fs.writeFileSync(file, text);
    fs.utimesSync(file, old, old);
  };
  for (const [id, text] of Object.entries(agents)) write(id, text);
  await saveTask(home, TASK);
  const events: AgentStreamEvent[] = [];
  bus.subscribe((event) => void events.push(event));
  const none = { tokensPerDay: 0, costPerDay: 0, tokensPerPersonPerDay: 0, costPerPersonPerDay: 0 };
  const costs = new Costs({ home, log, prices: {}, currency: 'USD', limits: { ...none, ...caps } });
  const hooks = createMeter({ costs, tellOwners: () => undefined });
  const agent = createAgent({ models: modelsOf({ local: { baseURL: llm.url, apiKey: 'key' } }), timeouts: QUICK, log });
  const load = (id: string) => loadAgent(home.root, id);
  // biome-ignore format: a row is a line
  const gw: Gateway = {
    ...open.gw,
    config: {
      ...open.gw.config,
      maxSteps: 10,
      memory: { ...open.gw.config.memory, maxMemoryTokens: 500, maxTaskTokens: 500, maxDailyLogs: 1 },
      history: { ...open.gw.config.history, maxMessages: 50, maxTokens: 10_000 },
    },
    models: { ...open.gw.models, spending: { ...open.gw.models.spending, hooks }, agent, loadAgent: load },
    features: {...open.gw.features, tools: [askAgent, delegate], on: open.gw.features.on.filter(({ offers }) => !offers) },
  };
  const mesh = meshOf(gw);
  const { registry } = mesh;
  const orderOf = (words: string, more: Partial<Order> = {}): Order => ({
    ...{ task: TASK, run: 'run1', principal: ALEX, words: [words], names: [], query: words, place: 'telegram' },
    tellsMemory: true,
    ...{ earlier: [], verdicts: new Map(), signal: new AbortController().signal },
    ...more,
  });
  return {
    ...{ home, llm, events, costs, mesh, registry, write, orderOf },
    /** A person's words, answered by the viber `default`. */
    async say(words: string, more: Partial<Order> = {}) {
      const run = more.run ?? 'run1';
      const earlier = openTask(home, TASK.id, 'default').session.run(run);
      const from = { channel: 'telegram', user: 'telegram:1001', name: 'Alex' };
      const at = new Date().toISOString();
      if (earlier.length === 0)
        await openTask(home, TASK.id, 'default').session.append([
          { type: 'message', id: run, run, at, text: words, from, files: [] },
        ]);
      return runAgent(orderOf(words, { earlier, ...more }), gw);
    },
    session: (viber: string) => openTask(home, TASK.id, viber).session.tail(),
    by: (worker: string) => llm.requests().filter((request) => workerOf(request) === worker),
  };
}
