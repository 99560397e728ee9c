/** One chat platform after the other: what is to be done there, its tokens, and whether they work. */
import { awayFix, type Finding, isAway } from '../doctor/finding.ts';
import {
  cardOf,
  checkPlatform,
  PLATFORMS,
  type PlatformName,
  platformChange,
  platformsOf,
  SETUPS,
} from './platforms.ts';
import { showLink } from './qr.ts';
import type { Screen } from './screen.ts';
import type { Change, Settings } from './settings.ts';

/** Gives the platform that was set up; undefined when the person wants none (any more). */
export async function choosePlatform(screen: Screen, settings: Settings): Promise<PlatformName | undefined> {
  const on = new Set(platformsOf((await settings.load()).config));
  const chosen = await screen.select<PlatformName | 'none'>(
    'Where do you want to write to it?',
    [
      ...PLATFORMS.map((value) => ({ value, label: SETUPS[value].label, ...(on.has(value) && { hint: 'set up' }) })),
      { value: 'none', label: 'Only in this terminal' },
    ],
    PLATFORMS.find((name) => !on.has(name)) ?? 'none',
  );
  if (chosen === 'none') return undefined;
  return (await setUp(screen, settings, chosen)) ? chosen : undefined;
}

/** False: the person leaves it out. */
export async function setUp(screen: Screen, settings: Settings, name: PlatformName): Promise<boolean> {
  const { label, steps, page } = SETUPS[name];
  screen.say(`${label}\n${steps}`);
  if (name === 'slack')
    screen.raw(
      (await import('../../channels/index.ts').then(({ channelModules }) => channelModules.slack())).slackManifest,
    );
  let change = await askTokens(screen, name);
  for (;;) {
    screen.say(`Asking ${label} …`);
    const findings = await checkPlatform(settings, name, change);
    const wrong = findings.filter(({ state }) => state === 'wrong');
    if (wrong.length === 0) {
      await settings.save(change);
      screen.good(findings[0]?.detail ?? `${label} answers`);
      return true;
    }
    await explain(screen, settings, { name, change, wrong });
    const next = await screen.select(
      'What now?',
      [
        { value: 'token', label: 'Paste another token', hint: page },
        { value: 'check', label: 'Check again' },
        { value: 'skip', label: 'Leave it out' },
      ],
      isToken(wrong) ? 'token' : 'check',
    );
    if (next === 'skip') return false;
    if (next === 'token') change = await askTokens(screen, name);
  }
}

const isToken = (wrong: readonly Finding[]) =>
  wrong.some(({ detail }) => /token: |Token/.test(detail) && !/intent/i.test(detail));

async function askTokens(screen: Screen, name: PlatformName): Promise<Change> {
  const secrets: Record<string, string> = {};
  for (const { before, question, variable } of SETUPS[name].tokens) {
    if (before !== undefined) screen.say(before);
    secrets[variable] = await screen.secret(question);
  }
  return platformChange(name, secrets);
}

interface Refused {
  name: PlatformName;
  change: Change;
  wrong: readonly Finding[];
}

/** A token that nobody was asked about is not to blame. */
function fixFor(wrong: readonly Finding[], name: PlatformName): string {
  const away = wrong.find(({ detail }) => isAway(detail));
  return away ? awayFix(away.detail) : `Fix it here: ${SETUPS[name].page}`;
}

/** Says what is wrong; a bot that is in no server yet is one link away. */
async function explain(screen: Screen, settings: Settings, { name, change, wrong }: Refused): Promise<void> {
  const isAlone = (detail: string) => detail.includes('in no server');
  const others = wrong.filter(({ detail }) => !isAlone(detail));
  if (others.length > 0) screen.bad(`${others.map(({ detail }) => detail).join('\n')}\n${fixFor(others, name)}`);
  if (others.length === wrong.length) return;
  const { config } = await settings.with(change);
  const { invite } = await cardOf(name, config);
  screen.say('The bot is in no server yet. Open this link, choose a server of yours, and come back:');
  if (invite !== undefined) await showLink(screen, invite);
}
