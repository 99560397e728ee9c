/** The control object: the people's side, the transcript, faults and counts, over one platform. */
import type { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LoggedRequest } from '../telegram/request-log.ts';
import { until } from '../wait.ts';
import type { SlackControl } from './control.ts';
import { createPeople } from './people.ts';
import type { Platform } from './platform.ts';
import { DEFAULT_LIMITS } from './rates.ts';
import type { ApiServer } from './server.ts';
import { createTranscript } from './transcript.ts';
import type { Transcript } from './view.ts';

export interface ControlOptions {
  /** Who says, presses and commands unless a test names somebody. */
  user: string;
  channel: string;
  setScopes(scopes: string[]): void;
}

/** Resolves when `isSo`, looking again at each `event`. */
async function when(changes: EventEmitter, event: string, isSo: () => boolean, timeoutMs: number, words: () => string) {
  if (!isSo()) await until(changes, event, isSo, timeoutMs, words);
}

export function createControl(
  platform: Platform,
  server: ApiServer,
  options: ControlOptions,
): SlackControl & Pick<Transcript, 'waitFor' | 'onMessage'> {
  const { world, deliveries, sockets, requestUrl, pings } = platform;
  const { faults, rates, log } = server;
  return {
    ...createPeople(platform, options),
    ...createTranscript(world, pings),
    fault: (fault) => faults.add(fault),
    clearFaults: () => faults.clear(),
    outage: (kind) => server.outage(kind),
    rate(limits) {
      const tiers = { ...DEFAULT_LIMITS.tiers, ...(limits ? limits.tiers : undefined) };
      rates.set(limits === false ? undefined : { ...DEFAULT_LIMITS, ...limits, tiers });
    },
    setScopes: (scopes) => options.setScopes(scopes),
    withholdFiles(error) {
      platform.withheld = error;
    },
    setAuth: (error) => server.setAuth(error),
    deliverTo(url) {
      const targets = typeof url === 'string' ? { events: url, commands: url, interactivity: url } : url;
      return requestUrl.set(targets);
    },
    sendRaw: (request) => requestUrl.raw(request),
    replay: () => requestUrl.replay(),
    reverseNext: (count) => deliveries.reverseNext(count),
    duplicate: (isOn) => deliveries.duplicate(isOn),
    disconnect: (reason) => sockets.disconnect(reason),
    dropSockets: () => sockets.drop(),
    freeze: (isFrozen) => sockets.freeze(isFrozen),
    connected: (count = 1, timeoutMs = 60_000) =>
      when(
        sockets.changes,
        'greeted',
        () => sockets.open() >= count,
        timeoutMs,
        () => `${sockets.open()} are open`,
      ),
    async settled(timeoutMs = 60_000) {
      const isSettled = () => deliveries.counts().pending === 0;
      await when(deliveries.changes, 'settled', isSettled, timeoutMs, () => JSON.stringify(deliveries.counts()));
      // The app may still have to take in the answer to its acknowledgement.
      await sleep(0);
    },
    counters() {
      const { user, system } = process.cpuUsage();
      return {
        ...log.counts(),
        ...rates.counts(),
        errors: server.errors(),
        connections: server.connections() + sockets.open(),
        sockets: { open: sockets.open(), opened: sockets.opened() },
        deliveries: deliveries.counts(),
        ackMs: deliveries.ackMs(),
        files: [...world.files.values()].filter((file) => file.state === 'complete').length,
        faultsLeft: faults.left(),
        cpuMicros: user + system,
      };
    },
    requests: (method) => log.all().filter((request) => method === undefined || request.method === method),
    async called(method, timeoutMs = 60_000) {
      const fits = (request: LoggedRequest) => request.method === method;
      const known = log.all().findLast(fits);
      return known ?? until(log.seen, 'request', fits, timeoutMs, () => JSON.stringify(log.counts().methods));
    },
    file(fileId) {
      const bytes = world.files.get(fileId)?.bytes;
      if (!bytes) throw new Error(`the bytes of file ${fileId} are not kept`);
      return bytes.toString('base64');
    },
    reset() {
      server.reset();
      deliveries.reset();
      pings.length = 0;
    },
  };
}
