/** The adapter before an emulated Slack, with what it hands over written down. */
import { createServer } from 'node:http';
import { onTestFinished } from 'vitest';
import type {
  Attachment,
  Channel,
  ChannelCallbacks,
  InboundMessage,
  InboundOutcome,
  OutboundMessage,
  PartAttempt,
  PartLedger,
  ReadCursors,
} from '../../../src/channels/channel.ts';
import { createSlack, type SlackOptions } from '../../../src/channels/slack/adapter.ts';
import { silentLog } from '../../../src/log.ts';
import { type Slack, startSlack } from '../../emulators/slack.ts';
import { eventually } from '../../helpers/eventually.ts';

export { eventually };

export interface Bench {
  slack: Slack;
  channel: ReturnType<typeof createSlack>;
  /** What was handed over, in order. */
  got: { message: InboundMessage; raw: unknown }[];
  texts(): string[];
  dropped: string[];
  states: string[];
  cursors: ReadCursors;
  /** Replaces what `onMessage` does after writing down; may reject. */
  storing(action: (message: InboundMessage) => Promise<InboundOutcome>): void;
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

export async function startBench(options: Partial<SlackOptions> = {}, platform: Platform = {}): Promise<Bench> {
  const slack = await startSlack({ retryDelaysMs: [20, 60, 60], ...platform });
  onTestFinished(() => slack.close());
  return benchOn(slack, options);
}

/** Another adapter on the same platform, as after a restart. */
export async function benchOn(slack: Slack, options: Partial<SlackOptions> = {}): Promise<Bench> {
  const got: Bench['got'] = [];
  const dropped: string[] = [];
  const states: string[] = [];
  const cursors = options.cursors ?? createReadCursors();
  let store: (message: InboundMessage) => Promise<InboundOutcome> = async ({ command, button, interaction }) =>
    interaction === undefined || command || button ? 'accepted' : 'begun';
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
  const callbacks: ChannelCallbacks = {
    onMessage: (message, raw) => {
      got.push({ message, raw });
      return store(message);
    },
    onInterrupt: async () => undefined,
    onSuggest: async () => [],
    onDropped: (kind) => void dropped.push(kind),
    onStatus: () => void states.push(channel.status().state),
  };
  onTestFinished(() => channel.disconnect());
  return {
    slack,
    channel,
    got,
    dropped,
    states,
    cursors,
    texts: () => got.map(({ message }) => message.text),
    storing: (action) => {
      store = action;
    },
    async connect() {
      if (options.mode === 'http') await listen(slack, channel, () => channel.connect(callbacks));
      else await channel.connect(callbacks);
    },
  };
}

/** Our own HTTP server, with the channel's handler at one path, as the request URL of the emulated app. */
async function listen(
  slack: Slack,
  channel: ReturnType<typeof createSlack>,
  connect: () => Promise<void>,
): Promise<void> {
  const server = createServer((request, response) => {
    channel.webhook?.(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('no port');
  await connect();
  await slack.deliverTo(`http://127.0.0.1:${address.port}/webhooks/slack`);
}

/** A ledger that remembers as the real one does. */
export function createLedger(name = 'out'): PartLedger & { sent: Map<number, string>; attempts: PartAttempt[] } {
  const sent = new Map<number, string>();
  const unsure = new Map<number, number>();
  const attempts: PartAttempt[] = [];
  return {
    sent,
    attempts,
    async part(index, post) {
      const known = sent.get(index);
      if (known !== undefined) return known;
      const since = unsure.get(index);
      const attempt = { key: `${name}:${index}`, ...(since !== undefined && { uncertainSince: since }) };
      attempts.push(attempt);
      const startedAt = Date.now();
      try {
        const id = await post(attempt);
        sent.set(index, id);
        return id;
      } catch (error) {
        const isUnsure =
          typeof error === 'object' && error !== null && 'ambiguous' in error && error.ambiguous === true;
        if (isUnsure) unsure.set(index, since ?? startedAt);
        throw error;
      }
    },
  };
}

export function answer(
  channel: Channel,
  rest: Partial<OutboundMessage> & { chat: string; thread?: string },
): OutboundMessage {
  const { chat, thread, ...message } = rest;
  const address = {
    channel: 'slack',
    account: channel.account,
    workspace: 'T0EMULATE',
    chat,
    ...(thread !== undefined && { thread }),
  };
  return { id: 'o1', address, text: 'Hello', files: [], ...message };
}

export function attachment(path: string, name: string, mimeType: string, size: number): Attachment {
  return { path, name, mimeType, size, sha256: '0'.repeat(64) };
}

export const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
