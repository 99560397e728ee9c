/** What every part of the gateway is made of: the home and its stores, opened once and in order. Parts take of it what they need. */

import path from 'node:path';
import { openLanguages } from '../access/languages.ts';
import { Links } from '../access/links.ts';
import { openPairing } from '../access/pairing.ts';
import { createPeople } from '../access/people.ts';
import { readIdentity } from '../access/principal.ts';
import { Zones } from '../access/zones.ts';
import type { Address, Channel } from '../channels/channel.ts';
import { accessRulesOf, type Config, configuredViber } from '../config.ts';
import type { State } from '../engine/engine.ts';
import { leadBy } from '../engine/lead.ts';
import { openRunFolder } from '../engine/run-folder.ts';
import { SyncSoon } from '../lib/files/sync-soon.ts';
import { createHandles, handleLimit, limitProblem } from '../lib/handles.ts';
import { shareLocks } from '../lib/locks.ts';
import { heard, type Logger } from '../log.ts';
import { say } from '../messages/messages.ts';
import { bindLeft } from '../runtime/conversations/bind-left.ts';
import { openConversations } from '../runtime/conversations/conversations.ts';
import { Digests } from '../runtime/conversations/digests.ts';
import { ExpectedAnswers } from '../runtime/conversations/expected.ts';
import { type OwnerNotifier, openOwnerNotifier } from '../runtime/conversations/owner-notifier.ts';
import { createReach } from '../runtime/conversations/reach.ts';
import type { ViberRules } from '../runtime/conversations/vibers.ts';
import { openDelivery } from '../runtime/delivery.ts';
import { createBus } from '../runtime/live/bus.ts';
import { NewsDesk } from '../runtime/live/news.ts';
import { SeenRuns } from '../runtime/live/seen.ts';
import { createButtons } from '../runtime/reply/buttons.ts';
import { Questions } from '../runtime/reply/questions.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { DEFAULT_VIBER, type Home, openHome } from '../workspace/home.ts';
import { noteCommands } from '../workspace/own-files.ts';
import { Uploads } from '../workspace/uploads.ts';
import { isViber, listVibers } from '../workspace/vibers.ts';
import type { BuiltChannels } from './channels.ts';
import { countDelivery } from './counting.ts';
import { Crashed } from './crashed.ts';
import { hearDamage } from './damage.ts';
import { openLive } from './live.ts';
import { tellElsewhere } from './processes/elsewhere.ts';
import { openEngine } from './processes/engine.ts';
import { sentEverywhere } from './processes/everywhere.ts';
import { type Roles, rolesOf } from './processes/roles.ts';
import { openTracing, traceSend } from './tracing.ts';

export interface ServicesOptions {
  config: Config;
  homeRoot: string;
  log: Logger;
  env?: NodeJS.ProcessEnv;
  /** Only the machine's own socket: for one-shot commands. */
  localOnly?: boolean;
}

export type Services = Awaited<ReturnType<typeof openServices>>;

/** Throws LockedError, or a system error of the home. */
export async function openServices(options: ServicesOptions) {
  const { config } = options;
  const limit = options.localOnly ? undefined : handleLimit();
  const handles = createHandles(limit);
  const log = heard(options.log, handles.note);
  const shortage = limitProblem(limit);
  if (shortage) log[shortage.isTooLow ? 'error' : 'warn']({ limit }, shortage.detail);
  const { home, release } = openOwnFolder(await openHome(options.homeRoot), options);
  const servers = Object.values(config.mcp).map(({ command, args = [] }) => (command ? [command, ...args] : []));
  noteCommands(
    home.root,
    [...servers, config.voice.command].filter((command) => command.length > 0),
  );
  const metrics = createMetrics();
  const tracing = options.localOnly ? undefined : await openTracing(config.telemetry, options.env ?? {}, log);
  /** Their people are told once the gateway is up. */
  const crashed = new Crashed();
  const engine = await openEngine({ config, home, log, onDead: (item, reason) => crashed.note(item, reason) });
  const { queue, state } = engine;
  const roles = rolesOf(config.engine, state, log);
  const lead = leadBy(engine, (error, name) => log.error({ err: error, name }, 'what one process does has failed'));
  const damage = hearDamage({
    root: home.root,
    log,
    tellOwners: (id, text) => notifier.tellOwners(id, say('common.asItIs', { text })),
  });
  const syncSoon = new SyncSoon();
  const buttons = createButtons(state, (address, asked) => questions.offered(address, asked));
  const news = new NewsDesk((error) => log.error({ err: error }, 'a listener of the news failed'));
  const bus = createBus((error) => log.error({ err: error }, 'a listener of the bus failed'));
  const isShared = config.engine.kind !== 'local';
  const seen = new SeenRuns(bus);
  const elsewhere = isShared ? tellElsewhere(engine, bus, news, seen) : undefined;
  const unshareLocks = isShared ? shareLocks(home.root, (name, work) => engine.lock(name, work)) : undefined;
  /** Empty until the channels are built. */
  const built: BuiltChannels = { channels: new Map(), mounts: new Map(), close: async () => undefined };
  const channelOf = (address: Pick<Address, 'channel'>) => built.channels.get(address.channel);
  const sending = (channel: Channel | undefined) => (isShared ? sentEverywhere(channel, engine) : channel);
  const prefixes = prefixesOf(config);
  const languages = openLanguages({ folder: home.access, configured: config.language, prefixes, log, isShared });
  const delivery = openDelivery({
    ...{ outbox: engine.outbox, log, messagesAt: languages.at, claims: claimsOf(config, roles) },
    shared: isShared ? engine : undefined,
    channelOf: (message) => sending(channelOf(message.address)),
    watch: tracing && ((entry) => traceSend(tracing, entry)),
    onOutcome: (outcome, entry, failure) => {
      if (outcome === 'sent') reach.arrived(entry.message);
      countDelivery(metrics, outcome, entry, failure);
    },
    async onDead(message, reason) {
      await reach.refused(message, reason);
      await notifier.tellUndelivered(message, reason);
    },
    onDigest: (message, part) => digests.note(message, part),
    onButtons: (message, messageId) => void questions.asked(message, messageId),
  });
  const reach = createReach({ channelOf, delivery, log });
  const { live, settings } = openLive({ config, home, bus, buttons, state, delivery, channelOf, languages, log });
  const { links, pairing, people } = openAccess(config, home.access, isShared ? state : undefined);
  const questions = new Questions({
    ...{ state, log, messagesAt: languages.at },
    send: (message) => delivery.add(message, message.id, true),
  });
  const isAccountOf = (identity: string, person: string) => {
    const who = { ...readIdentity(identity), account: '', name: '', via: 'message' };
    return people.resolve(who).principal.person === person;
  };
  const conversations = openConversations(home.conversations, { isShared, isAccountOf });
  const digests = new Digests(path.join(home.conversations, 'digests'), Date.now, { isShared });
  const zones = new Zones(home.access, { isShared });
  const expected = new ExpectedAnswers(path.join(home.conversations, 'expected.json'), Date.now, { isShared });
  await bindLeft(queue, conversations);
  const notifier: OwnerNotifier = openOwnerNotifier({
    ...{ folder: home.access, people, languages, buttons, delivery, log, isShared },
  });
  return {
    ...{ config, viber: config.viber ?? DEFAULT_VIBER, vibers: vibersBy(config, home), home, log, metrics, tracing },
    ...{ limit, shortage, handles, damage, crashed, roles, isShared, release },
    ...{ engine, queue, state, lead, elsewhere, unshareLocks, syncSoon, delivery },
    ...{ reach, buttons, questions, bus, news, seen, live, settings, built, channelOf },
    ...{ links, pairing, people, languages, prefixes, conversations, expected, digests, zones, notifier },
    uploads: new Uploads(home, config.limits.downloadBytes, (by) => bytesOfClient(by, config)),
  };
}

/** Of what it hands in; owners have as much as the disk, and people on the Board what their tasks may take. */
function bytesOfClient(name: string, { http, people, limits }: Config): number {
  const client = http.clients[name];
  const role = client?.role ?? people.find((person) => person.name === client?.person)?.role ?? 'member';
  if (!client || role === 'owner') return Number.POSITIVE_INFINITY;
  return (role === 'guest' ? limits.bytesPerGuest : limits.bytesPerMember) || Number.POSITIVE_INFINITY;
}

/** Of several processes each has locks and sockets of its own, on its own machine. Throws LockedError. */
function openOwnFolder(home: Home, { config, env = {} }: ServicesOptions): { home: Home; release: () => void } {
  if (config.engine.kind === 'local') return { home, release: () => undefined };
  const { folder, release } = openRunFolder(home.root, env, config.engine.runDir);
  return { home: { ...home, run: folder }, release };
}

/** A hub is told by way of whoever has dialled it. */
function claimsOf({ engine, channels, hub }: Config, roles: Roles): string[] {
  if (engine.kind === 'local') return [''];
  const sent = roles.has('deliver') ? [...Object.keys(channels), 'local', 'api'] : [];
  const dialled = roles.has('ingress') && hub.url !== undefined && hub.token !== undefined ? ['hub'] : [];
  return [...sent, ...dialled].map((channel) => `["${channel}",`);
}

function vibersBy(config: Config, home: Home): ViberRules {
  return {
    ids: () => listVibers(home),
    has: (id) => isViber(home, id),
    configured: ({ person }, address, isDirect) => configuredViber(config, { ...address, isDirect, person }),
    forMembers: config.vibers,
  };
}

function openAccess(config: Config, folder: string, shared: State | undefined) {
  const links = new Links(folder, Date.now, shared);
  const hasOwner = config.people.some((person) => person.role === 'owner');
  const pairing = openPairing(folder, hasOwner);
  const people = createPeople(config.people, pairing, links, (who) =>
    accessRulesOf(config, who).allow.includes(who.user),
  );
  return { links, pairing, people };
}

/** What commands begin with, by channel. */
function prefixesOf({ channels: { telegram, discord, slack } }: Config): Record<string, string> {
  return {
    ...{ terminal: '/', local: '/' },
    ...(telegram ? { telegram: '/' } : {}),
    ...(discord ? { discord: '/viber ' } : {}),
    ...(slack ? { slack: `${slack.command} ` } : {}),
  };
}
