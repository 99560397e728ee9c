/**
 * Opens the home and its stores, once and in order: identities, the task of each conversation, outgoing messages, live
 * progress.
 */

import path from 'node:path';
import { type Languages, openLanguages, Zones } from '../access/known.ts';
import { Links } from '../access/links.ts';
import { createOutboundTargets } from '../access/outbound-targets.ts';
import { openPairing } from '../access/pairing.ts';
import { createPeople, type People } from '../access/people.ts';
import { readIdentity } from '../access/principal.ts';
import type { Address, Channel, OutboundMessage } from '../channels/channel.ts';
import { chatSection, chatSections, isDirectAddress } from '../channels/index.ts';
import { isBlank } from '../channels/markdown/blank.ts';
import { accessRulesOf, type Config, configuredViber, loadAgent } from '../config.ts';
import type { State } from '../engine/engine.ts';
import type { Logger } from '../log.ts';
import { say } from '../messages/messages.ts';
import type { News } from '../runtime/contract/news.ts';
import { createArrivals } from '../runtime/conversations/arrivals.ts';
import { bindLeft } from '../runtime/conversations/bind-left.ts';
import type { ViberRules } from '../runtime/conversations/conversations.ts';
import {
  type ConversationSettings,
  openConversationSettings,
  openConversations,
} from '../runtime/conversations/conversations.ts';
import { Digests } from '../runtime/conversations/digests.ts';
import { ExpectedAnswers } from '../runtime/conversations/expected.ts';
import { openOwnerNotifier } from '../runtime/conversations/owner-notifier.ts';
import { createReach, type Reach } from '../runtime/conversations/reach.ts';
import { createThreads } from '../runtime/conversations/threads.ts';
import { type Delivery, type DeliveryOptions, openDelivery } from '../runtime/delivery.ts';
import { type Bus, createBus } from '../runtime/live/bus.ts';
import { LiveProgress } from '../runtime/live/live.ts';
import { SeenRuns } from '../runtime/live/seen.ts';
import { type Buttons, createButtons } from '../runtime/reply/buttons.ts';
import { Questions } from '../runtime/reply/questions.ts';
import { attachRules } from '../runtime/reply/render-answer.ts';
import { ShownPlans, type ShownPlansOptions } from '../runtime/reply/shown-plans.ts';
import type { Places } from '../runtime/run/gateway.ts';
import { createLanes } from '../runtime/run/work.ts';
import { createMetrics, type Metrics } from '../telemetry/metrics.ts';
import type { Home } from '../workspace/home.ts';
import { isViber, listVibers } from '../workspace/home.ts';
import { openTask, planProgress, stepAtWork } from '../workspace/tasks/index.ts';
import type { GatewayOptions } from './contract.ts';
import { countDelivery } from './counting.ts';
import { reportDamage } from './damage.ts';
import { openHost } from './host.ts';
import { Elsewhere } from './processes/elsewhere.ts';
import { sentEverywhere } from './processes/everywhere.ts';
import type { Roles } from './processes/roles.ts';
import { openTracing, traceSend } from './tracing.ts';

export type Stores = Awaited<ReturnType<typeof openStores>>;

/** @throws LockedError, or a system error of the home */
export async function openStores(options: GatewayOptions) {
  const { config } = options;
  const { home, log, engine, host } = await openHost(options);
  const { queue, state } = engine;
  const { shared, roles } = host;
  const metrics = createMetrics();
  const tracing = options.localOnly ? undefined : await openTracing(config.telemetry, options.env ?? {}, log);
  host.damage = reportDamage({
    root: home.root,
    log,
    tellOwners: (id, text) => owners.tellOwners(id, say('common.asItIs', { text })),
  });
  const buttons = createButtons(state, (address, asked) => questions.offered(address, asked));
  const prefixes = prefixesOf(config);
  const folder = home.access;
  const languages = openLanguages({ folder, configured: config.language, prefixes, log });
  const channelOf = (address: { channel: string }) => host.built.channels.get(address.channel);
  const delivery = openDelivery({
    outbox: engine.outbox,
    log,
    messagesAt: languages.at,
    claims: claimsOf(config, roles),
    ...(options.timeScale !== undefined && { timeScale: options.timeScale }),
    shared,
    channelOf: ({ address }) => (shared ? sentEverywhere(channelOf(address), shared) : channelOf(address)),
    watch: tracing && ((entry) => traceSend(tracing, entry)),
    ...deliveryNotes(metrics, () => ({ reach, questions, tasks })),
    async onDead(message, reason) {
      await reach.refused(message, reason);
      await owners.tellUndelivered(message, reason);
    },
    onDigest: (message, part) => tasks.digests.note(message, part),
  });
  const reach = createReach({ channelOf, delivery, log });
  const send = (message: OutboundMessage) => delivery.add(message, message.id, true);
  const questions = new Questions({ state, log, messagesAt: languages.at, send });
  const access = openAccess(config, folder, shared?.state);
  const zones = new Zones(folder);
  const owners = openOwnerNotifier({ folder, people: access, languages, buttons, delivery, log });
  const tasks = openTasks(home, { isAccountOf: access.isAccountOf, log, state, buttons, send, languages });
  await bindLeft(queue, tasks.conversations);
  host.elsewhere = shared && new Elsewhere(shared, tasks.bus, tasks.news, tasks.seen);
  const { conversations, bus } = tasks;
  const { live, settings } = openLive({ config, home, bus, buttons, state, delivery, channelOf, languages, log });
  return {
    host,
    home,
    config,
    engine,
    log,
    delivery,
    say: languages.at,
    telemetry: { metrics, tracing },
    people: { ...access, languages, zones, owners },
    tasks: {
      ...tasks,
      lanes: createLanes(),
      arrivals: createArrivals(config.limits.messagesPerMinute, shared),
      threads: createThreads({ home, conversations, channelOf, log }),
      syncSoon: (file: string) => host.syncSoon.add(file),
    },
    places: {
      channelOf,
      reach,
      targets: targetsOf(config, access, channelOf),
      live,
      settings,
      prefixes,
      isBlank,
      vibers: vibersBy(config, home),
      attachRules: attachRulesOf(config, channelOf),
    },
    consent: { buttons, questions },
  };
}

/** Returns a function that records the outcomes of delivery. */
const deliveryNotes = (
  metrics: Metrics,
  noting: () => { reach: Reach; questions: Questions; tasks: { shownPlans: ShownPlans } },
): Partial<DeliveryOptions> => ({
  onOutcome(outcome, entry, failure) {
    const { reach, tasks } = noting();
    if (outcome === 'sent') reach.arrived(entry.message);
    if (outcome !== 'retry' && entry.message.edits) tasks.shownPlans.ended(entry.message.id);
    countDelivery(metrics, outcome, entry, failure);
  },
  onButtons(message, messageId) {
    const { questions, tasks } = noting();
    void questions.asked(message, messageId);
    if (message.plan) tasks.shownPlans.sent(message, messageId);
  },
});

interface StoreInputs extends Omit<ShownPlansOptions, 'bindingOf' | 'messagesAt'> {
  languages: Languages;
  isAccountOf: (identity: string, person: string) => boolean;
}

function openTasks({ conversations: folder }: Home, inputs: StoreInputs) {
  const { isAccountOf, log } = inputs;
  const bus = createBus((error) => log.error({ err: error }, 'a listener on the bus failed'));
  const conversations = openConversations(folder, isAccountOf);
  return {
    conversations,
    shownPlans: new ShownPlans({
      ...inputs,
      messagesAt: inputs.languages.at,
      bindingOf: (key) => conversations.get(key),
    }),
    digests: new Digests(path.join(folder, 'digests')),
    expected: new ExpectedAnswers(path.join(folder, 'expected.json')),
    bus,
    news: createBus<News>((error) => log.error({ err: error }, 'a listener for news failed')),
    // Subscribe before the exchange with other processes, which starts from the events that this has seen.
    seen: new SeenRuns(bus),
  };
}

/** Returns the lanes whose answers this process sends. Only the process that dialled a hub can send to it. */
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
    about: async (id) => (await loadAgent(home.root, id)).description,
  };
}

function openAccess(config: Config, folder: string, shared: State | undefined) {
  const links = new Links(folder, Date.now, shared);
  const hasOwner = config.people.some((person) => person.role === 'owner');
  const pairing = openPairing(folder, hasOwner);
  const people = createPeople(config.people, pairing, links, (who) =>
    accessRulesOf(config, who).allow.includes(who.user),
  );
  const isAccountOf = (identity: string, person: string) => {
    const who = { ...readIdentity(identity), account: '', name: '', via: 'message' };
    return people.resolve(who).principal.person === person;
  };
  return { ...people, links, pairing, isAccountOf, rulesOf: (address: Address) => accessRulesOf(config, address) };
}

const targetsOf = (config: Config, people: People, channelOf: Places['channelOf']) =>
  createOutboundTargets({
    people,
    channelOf: (id) => channelOf({ channel: id }),
    rulesOf: (address) => accessRulesOf(config, address),
  });

const attachRulesOf = (config: Config, channelOf: Places['channelOf']) => (address: Address) =>
  attachRules(channelOf(address), chatSection(config, address.channel)?.attach);

const prefixesOf = (config: Config): Record<string, string> => ({
  terminal: '/',
  local: '/',
  ...Object.fromEntries(chatSections(config).map(({ kind, settings }) => [kind.name, kind.commandPrefix(settings)])),
});

interface OpenLiveOptions {
  config: Config;
  home: Home;
  bus: Bus;
  buttons: Buttons;
  state: State;
  delivery: Delivery;
  channelOf: (address: Address) => Channel | undefined;
  languages: Languages;
  log: Logger;
}

/** The channels whose people see an answer while it is being written. */
const AT_MACHINE = ['terminal', 'local'];

function openLive(options: OpenLiveOptions): { live: LiveProgress; settings: ConversationSettings } {
  const { home, delivery } = options;
  const configuredAt = (address: Address) => {
    const section = chatSection(options.config, address.channel);
    if (!section) return AT_MACHINE.includes(address.channel) ? { live: 'text' as const } : {};
    const fitting = isDirectAddress(address) ? 'text' : 'status';
    return { live: section.live === 'auto' ? fitting : section.live, queue: section.injection };
  };
  const settings = openConversationSettings(path.join(home.conversations, 'settings'), configuredAt);
  const live = new LiveProgress({
    bus: options.bus,
    channelOf: options.channelOf,
    settings,
    buttons: options.buttons,
    cache: options.state,
    log: options.log,
    messagesAt: (address) => options.languages.at(address),
    isBusy: (address) => delivery.isBusy(address),
    async progressOf(taskId) {
      const stored = await openTask(home, taskId).plan.read();
      return stored && { ...planProgress(stored.plan), step: stepAtWork(stored.plan) };
    },
  });
  return { live, settings };
}
