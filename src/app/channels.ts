/** The channels that the configuration switches on, each loaded only then, with what each needs of the gateway. */
import os from 'node:os';
import path from 'node:path';
import { identityText, type Role } from '../access/principal.ts';
import type { Caller } from '../board/contract.ts';
import type { HttpHandler } from '../board/server.ts';
import { API, HUB } from '../channels/address.ts';
import {
  type Address,
  type Channel,
  type CommandSpec,
  conversationKey,
  type LiveMode,
  type NameOf,
  type OutboundMessage,
} from '../channels/channel.ts';
import type { Hub, HubSocket } from '../channels/hub/adapter.ts';
import type { Mouth } from '../channels/hub/relay.ts';
import { channelModules } from '../channels/index.ts';
import type { Lead } from '../channels/lead.ts';
import type { LocalOptions } from '../channels/local/adapter.ts';
import type { ChatChannelConfig } from '../config/types.ts';
import { type Config, terminalEnabled } from '../config.ts';
import type { State } from '../engine/engine.ts';
import { machineLanguage } from '../lib/language.ts';
import type { Logger } from '../log.ts';
import type { Conversations } from '../runtime/conversations/conversations.ts';
import { openReadCursors } from '../runtime/conversations/read-cursors.ts';
import { artifactPath } from '../workspace/artifacts.ts';
import { type Home, isId } from '../workspace/home.ts';
import { readTaskSync } from '../workspace/tasks.ts';
import type { Uploads } from '../workspace/uploads.ts';

export interface BuildOptions {
  config: Config;
  home: Home;
  log: Logger;
  state: State;
  /** What only one process at a time may do for a bot. */
  lead: Lead;
  /** How processes speak to each other, where there are several. */
  mouth?: Mouth | undefined;
  commands: CommandSpec[];
  /** Whether the terminal may be used at all. */
  terminal: boolean;
  /** Only the machine's own door. */
  localOnly: boolean;
  uploads: Pick<Uploads, 'find'>;
  /** Words for programs that end no run, and the task they are about. */
  onNotice: (message: OutboundMessage, taskId: string | undefined) => void;
  conversations: Pick<Conversations, 'get'>;
  onEnd: () => void;
  /** Who answers on a channel of this machine, by name. */
  nameAt: (address: Address, user: string) => Promise<string>;
  /** Answers the frames of a connection with the hub. */
  serveHub: (socket: HubSocket, caller: Caller) => Promise<void>;
  onLogPlace: (show: ((line: string) => void) | undefined) => void;
  board?: NonNullable<LocalOptions['board']>;
}

export interface BuiltChannels {
  /** By id. */
  channels: Map<string, Channel>;
  /** HTTP handlers by path, for platforms that call us. */
  mounts: Map<string, HttpHandler>;
  /** After the channels have been disconnected. */
  close(): Promise<void>;
}

export async function buildChannels(options: BuildOptions): Promise<BuiltChannels> {
  const { config, home, log, state: cache, lead, commands } = options;
  const { telegram, discord, slack } = config.channels;
  const user = os.userInfo().username;
  const language = machineLanguage(process.env);
  const channels = new Map<string, Channel>();
  const mounts = new Map<string, HttpHandler>();
  const closing: (() => Promise<void>)[] = [];

  /** What a channel has read, for those whose platform does not keep it for us. */
  function marksOf(channel: string) {
    const cursors = openReadCursors(path.join(home.spool, 'marks'), channel, log, {
      isShared: config.engine.kind !== 'local',
    });
    closing.push(cursors.close);
    return cursors;
  }

  const { createLocal } = await channelModules.local();
  channels.set(
    'local',
    createLocal({
      ...{ socket: path.join(home.run, 'gateway.sock'), user, language, nameAt: options.nameAt },
      ...(options.board && { board: options.board }),
    }),
  );
  const close = async () => void (await Promise.all(closing.map((each) => each())));
  if (options.localOnly) return { channels, mounts, close };
  const { createApi } = await channelModules.api();
  channels.set(
    API,
    createApi({
      onNotice: (message) => options.onNotice(message, taskAt(message.address, options)),
      fileOf: (id) => fileOfRef(options, id),
    }),
  );
  const [forTelegram, forDiscord, forSlack] = await Promise.all([
    telegram && channelModules.telegram(),
    discord && channelModules.discord(),
    slack && channelModules.slack(),
  ]);
  if (telegram && forTelegram) {
    const { token, apiRoot, mode, webhook, pollSeconds, localFiles } = telegram;
    const live = modeOf(telegram);
    const channel = forTelegram.createTelegram({
      ...{ token, apiRoot, mode, log, live, pollSeconds, localFiles, attachCommands: commands, cache, lead },
      nameOf: namesOn('telegram', config),
      ...(webhook ? { webhook } : {}),
    });
    channels.set('telegram', channel);
    if (webhook && channel.webhook) mounts.set(webhook.path, channel.webhook);
  }
  if (discord && forDiscord) {
    const { token, apiRoot, cdnRoot, threads, archiveMinutes } = discord;
    const live = modeOf(discord);
    const shared = config.engine.kind === 'local' ? {} : { shared: { lead, sessions: cache } };
    const own = { token, apiRoot, cdnRoot, threads, live, archiveMinutes, ...shared };
    channels.set(
      'discord',
      forDiscord.createDiscord({
        ...own,
        commands,
        nameOf: namesOn('discord', config),
        cursors: marksOf('discord'),
        cache,
        log,
      }),
    );
  }
  if (slack && forSlack) {
    const { botToken, appToken, signingSecret, mode, apiRoot, command } = slack;
    const live = modeOf(slack);
    const channel = forSlack.createSlack({
      ...{ botToken, mode, apiRoot, command, live, commands, cursors: marksOf('slack'), cache, log },
      nameOf: namesOn('slack', config),
      ...(config.language === 'auto' ? {} : { language: config.language }),
      ...(appToken === undefined ? {} : { appToken }),
      ...(signingSecret === undefined ? {} : { signingSecret }),
    });
    channels.set('slack', channel);
    if (mode === 'http' && channel.webhook) mounts.set(slack.path, channel.webhook);
  }
  const hub = await openHub(options);
  if (hub) {
    channels.set(HUB, hub);
    closing.push(() => hub.end());
  }
  if (options.terminal && terminalEnabled(config))
    channels.set('terminal', await openTerminal(options, user, language));
  return { channels, mounts, close };
}

/** The names that `people:` gives to accounts of a channel. */
function namesOn(channel: string, { people }: Pick<Config, 'people'>): NameOf {
  const names = new Map(people.flatMap(({ name, ids }) => ids.map((id) => [id, name] as const)));
  return (user, workspace) => names.get(identityText({ channel, workspace, user }));
}

async function openTerminal(options: BuildOptions, user: string, language: string | undefined): Promise<Channel> {
  const { home, commands, nameAt, onEnd, onLogPlace } = options;
  const { createTerminal } = await channelModules.terminal();
  return createTerminal({
    ...{ input: process.stdin, output: process.stdout, env: process.env, user, language, commands },
    ...{ home: home.root, nameAt, onEnd, onLogPlace },
  });
}

/** Where a file is that a message of a program came with, as `src/app/board/protocol.ts` has named it. */
async function fileOfRef(
  { home, uploads }: Pick<BuildOptions, 'home' | 'uploads'>,
  id: string,
): Promise<string | undefined> {
  const [ref = '', by] = id.split(' ', 2);
  if (by !== undefined) return uploads.find(by, ref)?.path;
  const [, taskId = '', name = ''] = /^artifacts\/([^/]+)\/([^/]+)$/.exec(ref) ?? [];
  if (!isId(taskId)) return undefined;
  return artifactPath(home, taskId, { ref, title: name });
}

/** The task that a program's thread is about: it bears the task's id before anything was said in it. */
function taskAt(address: Address, { home, conversations }: Pick<BuildOptions, 'home' | 'conversations'>) {
  const { thread } = address;
  if (thread === undefined) return undefined;
  const bound = conversations.get(conversationKey(address))?.taskId;
  return bound ?? (isId(thread) ? readTaskSync(home, thread)?.id : undefined);
}

/** The hub of the configuration; it is off without an address or a token. */
async function openHub(options: BuildOptions): Promise<Hub | undefined> {
  const { config, log, serveHub, lead, mouth } = options;
  const { url, token, role, viberId } = config.hub;
  if (url === undefined || token === undefined) return undefined;
  const [hub, { endFrame, noticeFrame }] = await Promise.all([
    channelModules.hub(),
    import('../board/protocol/frames.ts'),
  ]);
  return new hub.Hub({
    ...{ url, token, lead, mouth, frameOf: endFrame },
    noticeOf: (message) => noticeFrame(message, taskAt(message.address, options)),
    fileOf: (id) => fileOfRef(options, id),
    serve: (socket) => serveHub(socket, callerOfHub(role, viberId)),
    onError: (error) => log.error({ err: error }, 'a connection with the hub failed'),
  });
}

/** Whom a hub speaks for: the programs behind it, with the role that the configuration gives them. */
const callerOfHub = (role: Role, viber: string | undefined): Caller => ({
  ...{ kind: 'client', id: HUB, channel: HUB, ended: new AbortController().signal },
  ...(viber !== undefined && { viber }),
  principal: { channel: HUB, account: HUB, user: HUB, role, via: HUB, name: 'the hub' },
});

/** Where nothing is known of a conversation; each has its own otherwise. */
const modeOf = ({ live }: Pick<ChatChannelConfig, 'live'>): LiveMode => (live === 'auto' ? 'status' : live);
