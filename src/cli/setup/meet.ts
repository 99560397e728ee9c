/**
 * Starts the gateway for the first conversation: the person writes to their bot, and one key press makes them its
 * owner.
 */

import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PendingPairing } from '../../access/pairing.ts';
import { openPairing, type Pairing } from '../../access/pairing.ts';
import type { App } from '../../app.ts';
import type { Config } from '../../config.ts';
import { errorMessage, LockedError } from '../../errors.ts';
import { within } from '../../lib/within.ts';
import { silentLog } from '../../log.ts';
import { say } from '../../messages/messages.ts';
import { cardOf, type Platform } from './platforms.ts';
import { cutLine, type Screen } from './screen.ts';
import type { Settings } from './settings.ts';

const LOOK_MS = 250;
/** How many looks must find a problem before it is shown: two seconds, not necessarily in a row. */
const STUCK_LOOKS = 8;
const CONNECT_MS = 30_000;
const ANSWER_MS = 120_000;

/**
 * Starts a gateway; returns undefined if one already runs on this home.
 * @throws {ConfigError}
 */
export async function startGateway(settings: Settings): Promise<App | undefined> {
  const { config, isPortChosen } = await settings.load();
  const { startApp } = await import('../../app.ts');
  try {
    return await startApp({
      config,
      homeRoot: settings.home,
      log: silentLog(),
      env: settings.env,
      terminal: false,
      isPortChosen,
    });
  } catch (error) {
    if (error instanceof LockedError) return undefined;
    throw error;
  }
}

export async function pairingOf(settings: Settings): Promise<Pairing> {
  const { config } = await settings.load();
  const { openHome } = await import('../../workspace/home.ts');
  const { access } = await openHome(settings.home);
  return openPairing(
    path.resolve(access),
    config.people.some(({ role }) => role === 'owner'),
    true,
  );
}

/** Waits for the person's message and lets them in. Ctrl-C leaves. */
export async function meet(
  screen: Screen,
  settings: Settings,
  app: App | undefined,
  platform: Platform,
): Promise<void> {
  const { config } = await settings.load();
  if (app) await connected(screen, app);
  else screen.bad(say('setup.runsAlready'));
  const pairing = await pairingOf(settings);
  await invite(screen, config, platform);
  const isRefused = new Set<string>();
  for (;;) {
    const entry = await nextOf(pairing, isRefused, watchOf(screen, app), screen.left);
    const shown = shownName(entry);
    const words = entry.kept?.map(({ text }) => text).find((text) => text.trim() !== '');
    screen.good(
      words === undefined
        ? say('setup.opened', { who: shown })
        : say('setup.writes', { who: shown, words: cutLine(words, 200) }),
    );
    if (await screen.confirm(say('setup.isThatYou'))) {
      pairing.approve(entry.code, Date.now(), 'owner');
      await answered(screen, app, pairing, entry);
      return;
    }
    pairing.deny(entry.code, Date.now());
    isRefused.add(entry.identity);
    screen.say(say('setup.refused'));
  }
}

async function connected(screen: Screen, app: App): Promise<void> {
  screen.say(say('setup.connecting'));
  if ((await within(app.connected, CONNECT_MS, () => 'late')) !== 'late') return;
  for (const [channel, { state, detail }] of Object.entries((await app.readiness()).channels))
    if (state !== 'connected')
      screen.bad(
        detail ? say('setup.notConnectedWhy', { channel, why: detail }) : say('setup.notConnected', { channel }),
      );
}

async function invite(screen: Screen, config: Config, platform: Platform): Promise<void> {
  try {
    const card = await cardOf(platform, config);
    await screen.link(card.link);
    screen.say(say('setup.writeNow', { name: card.name, label: platform.label }));
  } catch (error) {
    screen.bad(say('setup.writeAnyway', { why: errorMessage(error), label: platform.label }));
  }
}

/** Shows each problem that keeps messages away once: the waiting person would not see it anywhere else. */
function watchOf(screen: Screen, app: App | undefined): () => Promise<void> {
  const seen = new Map<string, number>();
  return async () => {
    for (const [channel, { state, detail }] of Object.entries((await app?.readiness())?.channels ?? {})) {
      if (state === 'connected' || !detail) continue;
      const looks = (seen.get(`${channel} ${detail}`) ?? 0) + 1;
      seen.set(`${channel} ${detail}`, looks);
      // A short disconnection is not worth reporting.
      if (looks === STUCK_LOOKS) screen.bad(say('setup.stuck', { channel, why: detail }));
    }
  };
}

async function nextOf(
  pairing: Pairing,
  isRefused: ReadonlySet<string>,
  watch: () => Promise<void>,
  left: AbortSignal,
): Promise<PendingPairing> {
  for (;;) {
    const found = pairing.pending(Date.now()).find(({ identity }) => !isRefused.has(identity));
    if (found) return found;
    await watch();
    await sleep(LOOK_MS, undefined, { signal: left });
  }
}

function shownName({ name, identity }: PendingPairing): string {
  const shown = cutLine(name, 40);
  return identity.endsWith(`:${name}`) ? identity : `${shown} (${identity})`;
}

async function answered(screen: Screen, app: App | undefined, pairing: Pairing, entry: PendingPairing): Promise<void> {
  screen.good(say('setup.in'));
  if (!app) return;
  screen.say(say('setup.answering'));
  const isTaken = () => pairing.paired().every(({ identity, waiting }) => identity !== entry.identity || !waiting);
  for (const end = Date.now() + ANSWER_MS; Date.now() < end; await sleep(LOOK_MS))
    if (isTaken() && (await app.readiness()).waiting === 0) return screen.good(say('setup.answered'));
  screen.bad(say('setup.slow'));
}
