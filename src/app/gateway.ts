/**
 * Assembles the gateway, in the same way for the program and for tests: first the stores, then the model calls, then
 * the tools of runs. Nothing is accepted or run before `start`. The order in `stop` matters: each step may need the
 * next.
 */
import path from 'node:path';
import type { Zones } from '../access/known.ts';
import { isBlank } from '../channels/markdown/blank.ts';
import { type Config, joinWarnings, loadAgent } from '../config.ts';
import type { QueueItem } from '../engine/engine.ts';
import { UserError } from '../errors.ts';
import { loadFeatures } from '../features.ts';
import { systemClock } from '../lib/clock.ts';
import { systemTimezone } from '../lib/timezone.ts';
import type { Logger } from '../log.ts';
import { messagesIn, say } from '../messages/messages.ts';
import { createAgent } from '../runtime/agent/agent.ts';
import { Approvals } from '../runtime/approvals/approvals.ts';
import { RunSuspension } from '../runtime/approvals/suspend.ts';
import { nowText } from '../runtime/context/system-prompt.ts';
import { questionId } from '../runtime/contract/buttons.ts';
import type { Entry } from '../runtime/contract/entry.ts';
import type { StopFeature } from '../runtime/contract/feature.ts';
import type { OwnModels } from '../runtime/contract/model.ts';
import { UNCOUNTED } from '../runtime/contract/spending.ts';
import { TaskRecords, type TaskRecordsOptions } from '../runtime/conversations/task-record.ts';
import { featureSet, knowBlocks, nativesIn, reservedIn } from '../runtime/features.ts';
import { Choices } from '../runtime/model/choices.ts';
import { chosenAt } from '../runtime/model/choose.ts';
import { createModels } from '../runtime/model/models.ts';
import { keepRefused } from '../runtime/model/refused-files.ts';
import { outcomeOf } from '../runtime/reply/outcomes.ts';
import { reportGivenUp } from '../runtime/run/conclude.ts';
import type { Feature, Gateway, ModelCalls, PeopleStores } from '../runtime/run/gateway.ts';
import { createWorker } from '../runtime/worker.ts';
import type { Home } from '../workspace/home.ts';
import { Uploads } from '../workspace/uploads.ts';
import type { AppGateway, GatewayOptions, OpenGateway, Protocol } from './contract.ts';
import { countCall } from './counting.ts';
import { openStores, type Stores } from './stores.ts';
import { createTelling } from './telling.ts';

const DRAIN_MS = 20_000;
const SEND_MS = 3_000;
/** The longest wait for unsent traces during a stop, in ms. */
const TRACES_MS = 1_500;

interface TableOptions extends GatewayOptions {
  features: readonly Feature[];
  /** The names of all features' tools, including those of features that are off. */
  reserved: readonly string[];
}

/** @throws LockedError, or a system error of the home */
export async function openGateway(given: GatewayOptions): Promise<OpenGateway> {
  const [all, stores] = await Promise.all([loadFeatures(), openStores(given)]);
  knowBlocks(all);
  const options = { ...given, features: given.features ?? all, reserved: reservedIn(all) };
  const consent = { ...stores.consent, ...openConsent(stores) };
  const gw = gatewayOf(stores, openModelCalls(stores, options), consent, options, () => open.port);
  const worker = createWorker(gw);
  const { home, config, host, log, delivery } = stores;
  const { approvals } = consent;
  const stopping: StopFeature[] = [];
  async function gaveUp(item: QueueItem<Entry>, reason: string): Promise<void> {
    try {
      await reportGivenUp(item, reason, gw);
    } catch (error) {
      log.error({ err: error, reason }, 'the loss of a message could not be reported');
      throw error;
    }
  }
  let protocol: Promise<Protocol> | undefined;
  const open: OpenGateway = {
    gw,
    host,
    worker,
    port: undefined,
    protocol() {
      protocol ??= import('./board/protocol.ts').then(({ openProtocol }) => openProtocol(open));
      return protocol;
    },
    uploads: new Uploads(home, config.limits.downloadBytes, (by) => bytesOfClient(by, config)),
    preload: () => gw.models.agent.preload(gw.models.modelName()),
    async start() {
      await approvals.start();
      for (const { start } of gw.features.on) if (start) stopping.push(await start(gw));
      // Must come before any work: a task no longer counts as failed once a later run of it has ended.
      await host.crashed.tellBy(gaveUp);
      await worker.tellUnkept();
      if (host.roles.has('work')) await worker.start();
    },
    sweep(now) {
      for (const { sweep } of gw.features.on) sweep?.(now, gw);
    },
    async stop(graceMs = DRAIN_MS) {
      approvals.close();
      await worker.stop(graceMs);
      await Promise.all(stopping.map((end) => end()));
      await delivery.close(SEND_MS);
    },
    async close() {
      (await protocol)?.close();
      await close(stores);
    },
  };
  return open;
}

function gatewayOf(
  { home, config, engine, host, log, delivery, tasks, people, places, ...stores }: Stores,
  models: ReturnType<typeof openModelCalls>,
  consent: Gateway['consent'],
  { env = {}, clock = systemClock, features, reserved }: TableOptions,
  portOf: () => number | undefined,
): AppGateway {
  const used = models.spending.ofRun;
  const { conversations, news } = tasks;
  const hasOwner = () => people.pairing.ownership() === 'somebody';
  const onState: TaskRecordsOptions['onState'] = (taskId, state) => news.emit({ type: 'task:state', taskId, state });
  return {
    home,
    config,
    engine,
    people: { ...people, nowFor: nowForOf(config, people.zones, clock) },
    tasks: { ...tasks, records: new TaskRecords({ home, conversations, used, log, hasOwner, onState }) },
    places: { ...places, tellsMemory: createTelling(config, places.targets) },
    models: { ...models, loadAgent: (id) => loadOwn(home, id, log) },
    consent,
    delivery,
    say: stores.say,
    features: {
      ...featureSet(features, { config }),
      reserved,
      natives: nativesIn(features),
      env,
      lead: host.lead,
      served() {
        const port = portOf();
        return port === undefined ? undefined : { host: config.http.host, origins: config.http.origins, port };
      },
      ...stores.telemetry,
    },
    log,
    clock,
  };
}

async function close({ host, engine, people, telemetry }: Stores): Promise<void> {
  await telemetry.tracing?.close(TRACES_MS);
  people.languages.close();
  host.damage?.close();
  host.handles.close();
  await host.elsewhere?.close();
  host.unshareLocks();
  await host.syncSoon.flush();
  host.roles.close();
  await engine.close();
  host.release();
}

function openConsent({ home, config, engine, host, log, tasks, people, consent }: Stores) {
  const { news } = tasks;
  const approvals = new Approvals({
    folder: home.access,
    queue: engine.queue,
    log,
    shared: host.shared,
    onDecidedElsewhere: (request, decision) => news.emit({ type: 'approval:decided', request, decision }),
    onAsked: (request) => news.emit({ type: 'approval:asked', request }),
    async onDecided(request, decision) {
      news.emit({ type: 'approval:decided', request, decision });
      const zone = people.zones.of(request.principal) ?? config.jobs.timezone;
      await consent.questions.decided(questionId.approval(request.id), outcomeOf(decision, zone));
    },
  });
  return { approvals, suspension: new RunSuspension({ home, approvals }) };
}

/** Returns a function for a person's local time, including whether they may be asked where they are. */
function nowForOf({ jobs }: Config, zones: Zones, clock: Gateway['clock']): PeopleStores['nowFor'] {
  const usual = jobs.timezone ?? systemTimezone();
  return (principal, { run, mayAsk }) => {
    const zone = zones.of(principal);
    const known = zone !== undefined ? 'known' : mayAsk() && zones.asksIn(principal, run) ? 'ask' : 'guess';
    return nowText(new Date(clock.now()), zone ?? usual, known);
  };
}

/**
 * Returns the viber's own settings.
 * @throws UserError if its file can't be used
 */
async function loadOwn(home: Home, id: string, log: Logger): ReturnType<Gateway['models']['loadAgent']> {
  const own = await loadAgent(home.root, id);
  for (const warning of own.warnings) log.warn({ viber: id }, messagesIn('en').said(warning));
  if (own.isBroken) throw new UserError(say('vibers.broken', { id, why: joinWarnings(own.warnings) }));
  return own;
}

/** Returns the limit on a client's uploads. Owners have none; for other people it is the limit of their tasks. */
function bytesOfClient(name: string, { http, people, limits }: Config): number {
  const client = http.clients[name];
  const role = client?.role ?? people.find((person) => person.name === client?.person)?.role ?? 'member';
  if (!client || role === 'owner') return Number.POSITIVE_INFINITY;
  return (role === 'guest' ? limits.bytesPerGuest : limits.bytesPerMember) || Number.POSITIVE_INFINITY;
}

function openModelCalls(
  { config, home, places, people, telemetry, log }: Stores,
  { env = {}, model: given, features }: TableOptions,
) {
  const { metrics } = telemetry;
  const own: OwnModels = Object.assign({}, ...features.map(({ models }) => models));
  const models = createModels({ providers: config.providers, env, own });
  const modelName = () => config.model ?? models.defaultModel;
  const spending =
    features
      .find((feature) => feature.spending)
      ?.spending?.({
        home,
        config,
        log,
        onCall: (call, usage) => countCall(metrics, call, usage),
        tellOwners: (id, said) => void people.owners.tellOwners(id, said),
      }) ?? UNCOUNTED;
  const { priceOf } = spending;
  const { currency, fallback, models: listed } = config;
  const choices = new Choices({ models, usual: modelName, fallback, listed, currency, priceOf });
  const { settings } = places;
  const chosen: ModelCalls['chosen'] = (address) => {
    const own = settings.get(address);
    if (own.model === undefined && own.thinking === undefined) return {};
    const { model, isUsual, thinking } = chosenAt({ models: choices, settings, address });
    return { ...(isUsual ? {} : { model: model.id }), ...(thinking && { thinking }) };
  };
  const seconds = (value: number) => value * 1000;
  const { connect, firstToken, idle, run } = config.timeouts;
  keepRefused(path.join(home.cache, 'refused-files'));
  const agent =
    given ??
    createAgent({
      models,
      log,
      isBlank,
      readers: features.flatMap(({ understands }) => understands ?? []),
      onModelFailure: (kind) => metrics.count('viber_errors_total', { stage: 'model', kind }),
      timeouts: { connect: seconds(connect), firstToken: seconds(firstToken), idle: seconds(idle), run: seconds(run) },
    });
  return { choices, chosen, providers: models, modelName, agent, spending };
}
