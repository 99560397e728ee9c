/**
 * Connects Discord over its gateway and REST API. Events are decoded as they arrive and handled in order, chat by chat;
 * an interaction is acknowledged only after `onMessage` has resolved. Sending is in `send.ts`; only the connection and
 * the reading of missed messages are ever retried here.
 */
import { ConfigError } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import type {
  Address,
  Channel,
  ChannelCallbacks,
  ChannelLimits,
  CommandSpec,
  LiveMode,
  NameOf,
  ReadCursors,
} from '../channel.ts';
import type { ChannelCache } from '../kind.ts';
import type { Lead } from '../lead.ts';
import { createChannelState } from '../shared/connection.ts';
import { createApi } from './connect/api.ts';
import { createRegistration } from './connect/commands.ts';
import { wrongToken } from './connect/config-problems.ts';
import { createDownload, DOWNLOAD_BYTES } from './connect/download.ts';
import { Events } from './connect/events.ts';
import type { GatewayTiming } from './connect/gateway.ts';
import { createHolding } from './connect/holding.ts';
import { Interactions, type InteractionTiming } from './connect/interactions.ts';
import { createMissing } from './connect/missing.ts';
import type { Bot, Context } from './decode/decode.ts';
import { Places } from './decode/places.ts';
import { createLive, LIVE_TIMING, type LiveTiming } from './live/live.ts';
import { TaskState } from './live/task-state.ts';
import { Threads } from './live/threads.ts';
import { createFindPlace, openDirect } from './send/find-place.ts';
import { Sender } from './send/send.ts';

export { checkDiscord, discordCard } from './connect/check.ts';

/** https://discord.com/developers/docs/reference#uploading-files (10 MiB a file), #create-message (2000 characters). */
const LIMITS: ChannelLimits = { text: 2000, uploadBytes: 10 * 1024 * 1024, downloadBytes: DOWNLOAD_BYTES };

/** The longest that a start waits for the commands, in ms. */
const COMMANDS_MS = 2000;

/** Waiting times in ms. Only tests change the defaults. */
export interface Timing extends GatewayTiming, InteractionTiming {
  live: LiveTiming;
  taskStateMs: number;
}

const TIMING: Timing = {
  backoffMs: { min: 1000, max: 60_000 },
  silentMs: 45_000,
  stuckMs: 180_000,
  identifyMs: 5000,
  deferMs: 1200,
  suggestMs: 900,
  live: LIVE_TIMING,
  taskStateMs: 1500,
};

export interface DiscordOptions {
  token: string;
  /** `https://discord.com/api`, without a version. */
  apiRoot: string;
  /** `https://cdn.discordapp.com`: the only place files are fetched from. */
  cdnRoot: string;
  threads: 'per-task' | 'off';
  live: LiveMode;
  /** Minutes of quiet after which a finished task's thread is archived; 0 means never. */
  archiveMinutes: number;
  /** The subcommands of `/viber`, besides `task`. */
  commands: CommandSpec[];
  cursors: ReadCursors;
  cache?: ChannelCache | undefined;
  nameOf?: NameOf | undefined;
  /**
   * Set if several processes run this bot: one holds the connection, and the next one resumes its session. Default:
   * this process alone.
   */
  shared?: { lead: Lead; sessions: ChannelCache };
  log: Logger;
  timing?: Partial<Timing>;
}

interface Session {
  readonly signal: AbortSignal;
  bot?: Bot;
  callbacks?: ChannelCallbacks;
}

function createParts(options: DiscordOptions, session: Session, timing: Timing) {
  const { token, apiRoot, cdnRoot, cache, cursors, nameOf, log } = options;
  const { signal } = session;
  const account = () => session.bot?.account ?? '';
  const callbacks = () => session.callbacks;
  const api = createApi({ token, apiRoot, cdnRoot });
  const registration = createRegistration(api, options.commands, log);
  const places = new Places();
  const interactions = new Interactions({ api, callbacks, learn: places.learn.bind(places), log, timing });
  const settled = interactions.settled.bind(interactions);
  const threads = new Threads({ api, cache, account, log, settled });
  const archiveMs = options.archiveMinutes > 0 ? options.archiveMinutes * 60_000 : undefined;
  const taskTiming = { everyMs: timing.taskStateMs, archiveMs };
  const taskState = new TaskState({ api, account, starters: threads.starters, log, timing: taskTiming });
  const touch = taskState.touch.bind(taskState);
  const commands = new Map(options.commands.map((spec) => [spec.name, spec]));
  const contextOf = (bot: Bot): Context => {
    const now = Date.now();
    return { bot, places, threads: options.threads, commands, nameOf, now };
  };
  const events = new Events({
    contextOf,
    places,
    api,
    cursors,
    interactions,
    log,
    signal,
    backoffMs: timing.backoffMs,
    callbacks,
    onBot(self) {
      session.bot = self;
      registration.begin(self.application);
    },
    onWritten: touch,
  });
  return {
    account,
    registration,
    events,
    api,
    taskState,
    live: createLive({ api, mode: options.live, log, timing: timing.live }),
    sender: new Sender({ api, account, limits: LIMITS, log, settled, onSent: touch }),
    download: createDownload(api, cdnRoot),
    lookUp: createMissing({ api, context: () => session.bot && contextOf(session.bot), log }),
    threads,
    findPlace: createFindPlace({ api, places, account }),
    barred: async (address: Address) => places.barred(address, account(), Date.now()),
    directTo: (user: string, from: Address) => openDirect(api, user, from),
  };
}

/**
 * Creates the channel. While Discord is unreachable, `connect` keeps trying, with status `reconnecting`. `connect`
 * throws ConfigError for a token that Discord rejects and when the bot may not read message content.
 */
export function createDiscord(options: DiscordOptions): Channel {
  const { token, log } = options;
  const timing = { ...TIMING, ...options.timing };
  const stopping = new AbortController();
  const { signal } = stopping;
  const session: Session = { signal };
  const parts = createParts(options, session, timing);
  const { account, api, events, live, registration, taskState, threads } = parts;
  const state = createChannelState('discord', log, () => session.callbacks?.onStatus());
  const holding = createHolding({
    ...options,
    api,
    events,
    account,
    timing,
    signal,
    onBotOfSender: (self) => {
      session.bot = self;
    },
    onStatus: state.set,
  });

  return {
    id: 'discord',
    limits: LIMITS,
    isExact: true,
    whispers: true,
    get account() {
      return account();
    },
    status: state.get,
    async connect(given, { sendOnly = false } = {}) {
      session.callbacks = given;
      if (!/^[\w.-]+$/.test(token)) throw new ConfigError([wrongToken()]);
      state.set({ state: 'connecting' });
      if (!(await holding.start(sendOnly))) return;
      await registration.ended(COMMANDS_MS, signal);
    },
    async disconnect() {
      stopping.abort();
      live.close();
      taskState.close();
      await holding.stop();
      await events.settled();
      state.set({ state: 'off' });
    },
    send: (message, ledger) => parts.sender.send(message, ledger),
    download: parts.download,
    lookUp: parts.lookUp,
    stream: async (event, address, view) => live.event(event, address, view),
    livePace: live.pace,
    endStream: (runId, address, isAnswered) => live.end(runId, address, isAnswered),
    openThread: (message, thread) => threads.open(message, thread),
    pointTo: (message, thread) => threads.pointTo(message, thread),
    showTask: (address, task) => taskState.show(address, task),
    findPlace: parts.findPlace,
    barred: parts.barred,
    directTo: parts.directTo,
  };
}
