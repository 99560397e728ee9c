/** Builds the enabled channels, each loaded only if needed, with the parts of the gateway that each needs. */

import os from 'node:os';
import path from 'node:path';
import { identityText, type Role } from '../access/principal.ts';
import {
  type Address,
  API,
  type Channel,
  type CommandSpec,
  conversationKey,
  HUB,
  type LiveMode,
  type NameOf,
} from '../channels/channel.ts';
import type { Hub } from '../channels/hub/adapter.ts';
import { channelKind, channelModules, chatSections, isBuiltIn } from '../channels/index.ts';
import type { ChannelKind, ChatChannelConfig, OpenChannel } from '../channels/kind.ts';
import { type Config, terminalEnabled } from '../config.ts';
import { ConfigError, errorMessage } from '../errors.ts';
import { machineLanguage } from '../lib/language.ts';
import { within } from '../lib/within.ts';
import type { Logger } from '../log.ts';
import { menuSpecs } from '../runtime/commands/table.ts';
import type { Caller } from '../runtime/contract/board.ts';
import { openReadCursors } from '../runtime/conversations/read-cursors.ts';
import { isId } from '../workspace/home.ts';
import { openTask } from '../workspace/tasks/index.ts';
import type { AppGateway, Host, OpenGateway } from './contract.ts';
import { openNaming } from './naming.ts';
import { openPending } from './pending.ts';
import { openSettled } from './settled.ts';

export interface BuildOptions {
  /** Whether the terminal may be used at all. */
  terminal: boolean;
  /** Whether to open only the machine's own socket. */
  localOnly?: boolean;
  onEnd?: () => void;
  onLogPlace?: (show: ((line: string) => void) | undefined) => void;
}

const OPEN_MS = 10_000;

export async function buildChannels(open: OpenGateway, options: BuildOptions): Promise<void> {
  const { gw, host } = open;
  const { config, tasks } = gw;
  const { channels, closing } = host.built;
  const user = os.userInfo().username;
  const language = config.language === 'auto' ? machineLanguage(process.env) : config.language;
  const nameAt = openNaming(gw);
  const settled = openSettled(gw);
  const pending = openPending(gw);
  const { createLocal } = await channelModules.local();
  const socket = path.join(gw.home.run, 'gateway.sock');
  const requests = options.localOnly ? new Map() : requestsOf(gw);
  channels.set('local', createLocal({ socket, user, language, nameAt, settled, pending, requests }));
  if (options.localOnly) return;
  const { createApiChannel: createApi } = await channelModules.api();
  channels.set(
    API,
    createApi({
      onNotice(message) {
        const taskId = taskAt(message.address, gw);
        tasks.news.emit({ type: 'notice', message, ...(taskId !== undefined && { taskId }) });
      },
      fileOf: (id) => fileOfRef(open, id),
    }),
  );
  const commands = menuSpecs(gw.features.commands, config.language, config);
  await Promise.all(chatSections(config).map((each) => buildChat(open, each, commands)));
  const hub = await openHub(open);
  if (hub) {
    channels.set(HUB, hub);
    closing.push(() => hub.end());
  }
  if (!options.terminal || !host.roles.has('ingress') || !terminalEnabled(config)) return;
  const { Terminal } = await channelModules.terminal();
  const { onEnd = () => undefined, onLogPlace = () => undefined } = options;
  const { stdin: input, stdout: output, env } = process;
  const menu = menuSpecs(gw.features.commands, language, config);
  const about = { user, language, commands: menu, home: gw.home.root, nameAt, settled, pending, onEnd, onLogPlace };
  channels.set('terminal', new Terminal({ input, output, env, ...about }));
}

const requestsOf = (gw: AppGateway): ReadonlyMap<string, (asked: unknown) => Promise<object>> =>
  new Map(
    gw.features.on.flatMap(({ requests = {} }) =>
      Object.entries(requests).map(([name, answer]) => [`/${name}`, (asked: unknown) => answer(asked, gw)] as const),
    ),
  );

/** Builds a channel while the others are running. The section must be the output of its schema. */
export async function addChat(open: OpenGateway, name: string, section: unknown): Promise<Channel | undefined> {
  const { gw, host } = open;
  const { config } = gw;
  const kind = channelKind(name);
  const { channels, mounts } = host.built;
  // Which process sends and receives is decided when the processes start.
  if (!kind || host.shared || channels.has(name)) return undefined;
  const settings = section as ChatChannelConfig;
  const paths = new Set(mounts.keys());
  await buildChat(open, { kind, settings }, menuSpecs(gw.features.commands, config.language, config));
  const added = [...mounts.keys()].filter((path) => !paths.has(path));
  if (added.length > 0) {
    // The server got its paths when it started.
    for (const path of added) mounts.delete(path);
    channels.delete(name);
    return undefined;
  }
  Object.assign(config.channels, { [name]: settings });
  Object.assign(gw.places.prefixes, { [name]: kind.commandPrefix(settings) });
  return channels.get(name);
}

async function buildChat(
  { gw, host }: OpenGateway,
  { kind, settings }: ReturnType<typeof chatSections>[number],
  commands: CommandSpec[],
): Promise<void> {
  const { config, engine, log } = gw;
  const { name, webhook } = kind;
  const channel = await opened(
    kind,
    async () =>
      kind.open(settings, {
        log,
        live: modeOf(settings),
        commands,
        nameOf: namesOn(name, config),
        cache: engine.state,
        cursors: () => cursorsOf(name, { gw, host }),
        lead: host.lead,
        isShared: host.shared !== undefined,
        ...(config.language !== 'auto' && { language: config.language }),
      }),
    log,
  );
  if (!channel) return;
  host.built.channels.set(name, channel);
  const path = webhook?.path({ ...settings });
  if (channel.webhook && typeof path === 'string') host.built.mounts.set(path, channel.webhook);
}

/** Opens a channel. An external channel that can't be opened is left out, so that the others work. */
async function opened(
  { name }: ChannelKind,
  open: () => Promise<OpenChannel>,
  log: Logger,
): Promise<OpenChannel | undefined> {
  if (isBuiltIn(name)) return open();
  const late = () => {
    throw new Error(`it did not open within ${OPEN_MS / 1000} seconds`);
  };
  try {
    const channel = await within<OpenChannel, never>(open(), OPEN_MS, late);
    if (channel.id !== name) throw new Error(`its id is ${channel.id}, where ${name} is expected`);
    return guarded(channel, log);
  } catch (error) {
    log.error({ err: error, channel: name }, `channels.${name}.module: cannot open it: ${errorMessage(error)}`);
    return undefined;
  }
}

/** Wraps an external channel: if it throws while connecting, only this channel is turned off. */
function guarded(channel: OpenChannel, log: Logger): OpenChannel {
  const connect = channel.connect.bind(channel);
  channel.connect = async (...given) => {
    try {
      await connect(...given);
    } catch (error) {
      if (error instanceof ConfigError) throw error;
      log.error({ err: error, channel: channel.id }, `channels.${channel.id}: cannot connect: ${errorMessage(error)}`);
    }
  };
  return channel;
}

/** Opens the read positions of a channel whose platform doesn't store them for us. */
function cursorsOf(channel: string, { gw, host }: { gw: AppGateway; host: Host }) {
  const { built } = host;
  const cursors = openReadCursors(path.join(gw.home.spool, 'marks'), channel, gw.log);
  built.closing.push(cursors.close);
  return cursors;
}

/** Returns the names that `people:` gives to accounts of a channel. */
function namesOn(channel: string, { people }: Config): NameOf {
  const names = new Map(people.flatMap(({ name, ids }) => ids.map((id) => [id, name] as const)));
  return (user, workspace) => names.get(identityText({ channel, workspace, user }));
}

/** Returns the path of a file to which a program's message refers, by the name from `src/app/board/protocol.ts`. */
async function fileOfRef({ gw, uploads }: OpenGateway, id: string): Promise<string | undefined> {
  const [ref = '', by] = id.split(' ', 2);
  if (by !== undefined) return uploads.find(by, ref)?.path;
  const [, taskId = '', name = ''] = /^artifacts\/([^/]+)\/([^/]+)$/.exec(ref) ?? [];
  if (!isId(taskId)) return undefined;
  return openTask(gw.home, taskId).artifacts.pathOf({ ref, title: name });
}

/** Returns the task of a program's thread. The thread has the task's ID even before anything is said in it. */
function taskAt(address: Address, { home, tasks }: AppGateway) {
  const { thread } = address;
  if (thread === undefined) return undefined;
  const bound = tasks.conversations.get(conversationKey(address))?.taskId;
  return bound ?? (isId(thread) ? openTask(home, thread).record()?.id : undefined);
}

/** Opens the configured hub; undefined if the address or the token is missing. */
async function openHub(open: OpenGateway): Promise<Hub | undefined> {
  const { gw, host } = open;
  const { config, log } = gw;
  const { url, token, role, viberId } = config.hub;
  if (url === undefined || token === undefined) return undefined;
  const [hub, { endFrame, noticeFrame }] = await Promise.all([
    channelModules.hub(),
    import('../board/protocol/frames.ts'),
  ]);
  return new hub.Hub({
    url,
    token,
    lead: host.lead,
    pubSub: host.shared,
    frameOf: endFrame,
    noticeOf: (message) => noticeFrame(message, taskAt(message.address, gw)),
    fileOf: (id) => fileOfRef(open, id),
    serve: async (socket) => (await open.protocol()).sockets.serve(socket, callerOfHub(role, viberId)),
    onError: (error) => log.error({ err: error }, 'a connection to the hub failed'),
  });
}

/** Returns the caller for which a hub speaks: the programs behind it, with the configured role. */
const callerOfHub = (role: Role, viber: string | undefined): Caller => ({
  kind: 'client',
  id: HUB,
  channel: HUB,
  ended: new AbortController().signal,
  ...(viber !== undefined && { viber }),
  principal: { channel: HUB, account: HUB, user: HUB, role, via: HUB, name: 'the hub' },
});

/** Returns the default mode. A conversation about which more is known has its own. */
const modeOf = ({ live }: ChatChannelConfig): LiveMode => (live === 'auto' ? 'status' : live);
