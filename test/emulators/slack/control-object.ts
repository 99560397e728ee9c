/** The control object of one platform: people's actions, the transcript, faults and counts. */
import type { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createControl } from '../base/control.ts';
import { until } from '../base/wait.ts';
import type { SlackControl } from './control.ts';
import { createPeople } from './people.ts';
import type { Platform } from './platform.ts';
import { DEFAULT_LIMITS } from './rates.ts';
import type { ApiServer } from './server.ts';
import { createTranscript } from './transcript.ts';
import type { Transcript } from './view.ts';

export interface ControlOptions {
  /** The person who acts unless a test names somebody. */
  user: string;
  channel: string;
  setScopes(scopes: string[]): void;
}

/** Resolves when `isSo` returns true, which is checked at each `event`. */
async function when(changes: EventEmitter, event: string, isSo: () => boolean, timeoutMs: number, words: () => string) {
  if (!isSo()) await until(changes, event, isSo, timeoutMs, words);
}

export function createSlackControl(
  platform: Platform,
  server: ApiServer,
  options: ControlOptions,
): SlackControl & Pick<Transcript, 'waitFor' | 'onMessage'> {
  const { world, deliveries, sockets, requestUrl, pings } = platform;
  const { rates, log } = server;
  const { control, counts } = createControl(server, (fileId) => world.files.get(fileId)?.bytes);
  return {
    ...createPeople(platform, options),
    ...createTranscript(world, pings),
    ...control,
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
      // The app may still have to read the answer to its acknowledgement.
      await sleep(0);
    },
    counters: () => ({
      ...{ methods: log.counts('method'), errors: server.errors(), ...counts(), ...rates.counts() },
      connections: server.connections() + sockets.open(),
      sockets: { open: sockets.open(), opened: sockets.opened() },
      ...{ deliveries: deliveries.counts(), ackMs: deliveries.ackMs() },
      files: [...world.files.values()].filter((file) => file.state === 'complete').length,
    }),
    reset() {
      server.reset();
      deliveries.reset();
      pings.length = 0;
    },
  };
}
