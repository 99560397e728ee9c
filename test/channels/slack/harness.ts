/** The adapter before an emulated Slack, with what it hands over written down. */
import { onTestFinished } from 'vitest';
import type { Channel, ReadCursors } from '../../../src/channels/channel.ts';
import { createSlack, type SlackOptions } from '../../../src/channels/slack/adapter.ts';
import type { SlackApi } from '../../../src/channels/slack/connect/api.ts';
import { createHosts } from '../../../src/channels/slack/connect/hosts.ts';
import { createTransport } from '../../../src/channels/slack/connect/transport.ts';
import { type SlackContext, TIMING } from '../../../src/channels/slack/options.ts';
import { silentLog } from '../../../src/log.ts';
import { type Slack, startSlack } from '../../emulators/slack.ts';
import { serve } from '../../helpers/serve.ts';
import { type Answer, answerTo, type Heard, hear } from '../bench.ts';

export { eventually } from '../../helpers/eventually.ts';
export { attachment, createLedger } from '../bench.ts';

export interface Bench extends Heard {
  slack: Slack;
  channel: ReturnType<typeof createSlack>;
  cursors: ReadCursors;
  connect(): Promise<void>;
}

type Platform = Parameters<typeof startSlack>[0];

export const COMMANDS = ['help', 'status', 'stop', 'new', 'plan', 'tasks', 'open', 'get'].map((name) => ({
  name,
  description: `what ${name} does`,
}));

export function createReadCursors(kept: Record<string, string> = {}): ReadCursors {
  const cursors = new Map(Object.entries(kept));
  return { all: () => cursors, set: (chat, mark) => void cursors.set(chat, mark) };
}

/** What the adapter's parts share, before an API that a test answers for. */
export function createContext(api: SlackApi, options: Partial<SlackOptions> = {}): SlackContext {
  const log = silentLog();
  const apiRoot = 'https://slack.com/api/';
  return {
    options: {
      ...{ botToken: 'xoxb-1', mode: 'socket', apiRoot, command: '/viber', live: 'off', commands: [], log },
      cursors: createReadCursors(),
      ...options,
    },
    timing: { ...TIMING, ...options.timing },
    log,
    api,
    transport: createTransport(),
    hosts: createHosts(apiRoot),
    signal: new AbortController().signal,
  };
}

export async function startBench(options: Partial<SlackOptions> = {}, platform: Platform = {}): Promise<Bench> {
  const slack = await startSlack({ retryDelaysMs: [20, 60, 60], ...platform });
  onTestFinished(() => slack.close());
  return benchOn(slack, options);
}

/** Another adapter on the same platform, as after a restart. */
export async function benchOn(slack: Slack, options: Partial<SlackOptions> = {}): Promise<Bench> {
  const cursors = options.cursors ?? createReadCursors();
  const channel = createSlack({
    botToken: slack.botToken,
    appToken: slack.appToken,
    signingSecret: slack.signingSecret,
    mode: 'socket',
    apiRoot: slack.url,
    command: '/viber',
    live: 'off',
    commands: COMMANDS,
    cursors,
    log: silentLog(),
    ...options,
    timing: { backoffMs: { min: 20, max: 200 }, taskMs: 0, ...options.timing },
  });
  const { heard, callbacks } = hear(() => channel.status().state);
  onTestFinished(() => channel.disconnect());
  return {
    ...heard,
    ...{ slack, channel, cursors },
    async connect() {
      if (options.mode !== 'http') return channel.connect(callbacks);
      // Our own HTTP server, with the channel's handler at one path, as the request URL of the emulated app.
      const url = await serve((request, response) => channel.webhook?.(request, response));
      await channel.connect(callbacks);
      await slack.deliverTo(`${url}/webhooks/slack`);
    },
  };
}

export const answer = (channel: Channel, rest: Answer & { chat: string }) =>
  answerTo({ channel: 'slack', account: channel.account, workspace: 'T0EMULATE' }, rest.chat, rest);
