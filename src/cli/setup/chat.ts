/** Sets up chat platforms one after the other: shows the steps, asks for the tokens and checks them. */
import { awayFix, type Finding, isAway } from '../doctor/finding.ts';
import {
  cardOf,
  checkPlatform,
  type Platform,
  platformChange,
  platforms,
  platformsOf,
  variableFor,
} from './platforms.ts';
import { showLink } from './qr.ts';
import type { Screen } from './screen.ts';
import type { Change, Settings } from './settings.ts';

/** Returns the platform that was set up, or undefined if the person is done. */
export async function choosePlatform(screen: Screen, settings: Settings): Promise<Platform | undefined> {
  const all = platforms();
  const on = new Set(platformsOf((await settings.load()).config).map(({ name }) => name));
  const chosen = await screen.select<string>(
    'Where do you want to write to it?',
    [
      ...all.map(({ name, label }) => ({ value: name, label, ...(on.has(name) && { hint: 'set up' }) })),
      { value: 'none', label: 'Only in this terminal' },
    ],
    all.find(({ name }) => !on.has(name))?.name ?? 'none',
  );
  const platform = all.find(({ name }) => name === chosen);
  return platform && (await setUp(screen, settings, platform)) ? platform : undefined;
}

/** Returns false if the person skips the platform. */
export async function setUp(screen: Screen, settings: Settings, platform: Platform): Promise<boolean> {
  const { label, setup } = platform;
  screen.say(`${label}\n${setup.steps}`);
  if (setup.paste) screen.raw(await setup.paste());
  let change = await askTokens(screen, platform);
  for (;;) {
    screen.say(`Asking ${label} …`);
    const findings = await checkPlatform(settings, platform, change);
    const wrong = findings.filter(({ state }) => state === 'wrong');
    if (wrong.length === 0) {
      await settings.save(change);
      screen.good(findings[0]?.detail ?? `${label} answers`);
      return true;
    }
    await explain(screen, settings, { platform, change, wrong });
    const next = await screen.select(
      'What now?',
      [
        { value: 'token', label: 'Paste another token', hint: setup.page },
        { value: 'check', label: 'Check again' },
        { value: 'skip', label: 'Leave it out' },
      ],
      isToken(wrong) ? 'token' : 'check',
    );
    if (next === 'skip') return false;
    if (next === 'token') change = await askTokens(screen, platform);
  }
}

const isToken = (wrong: readonly Finding[]) =>
  wrong.some(({ detail }) => /token: |Token/.test(detail) && !/intent/i.test(detail));

async function askTokens(screen: Screen, platform: Platform): Promise<Change> {
  const secrets: Record<string, string> = {};
  for (const { before, question, key } of platform.setup.tokens) {
    if (before !== undefined) screen.say(before);
    secrets[variableFor(platform, key)] = await screen.secret(question);
  }
  return platformChange(platform, secrets);
}

interface Refused {
  platform: Platform;
  change: Change;
  wrong: readonly Finding[];
}

/** Blames a token only if the platform was reached. */
function fixFor(wrong: readonly Finding[], { setup }: Platform): string {
  const away = wrong.find(({ detail }) => isAway(detail));
  return away ? awayFix(away.detail) : `Fix it here: ${setup.page}`;
}

/** Explains what is wrong. If the bot is in no server yet, shows the invitation link. */
async function explain(screen: Screen, settings: Settings, { platform, change, wrong }: Refused): Promise<void> {
  const isAlone = (detail: string) => detail.includes('in no server');
  const others = wrong.filter(({ detail }) => !isAlone(detail));
  if (others.length > 0) screen.bad(`${others.map(({ detail }) => detail).join('\n')}\n${fixFor(others, platform)}`);
  if (others.length === wrong.length) return;
  const { config } = await settings.with(change);
  const { invite } = await cardOf(platform, config);
  screen.say('The bot is in no server yet. Open this link, choose a server of yours, and come back:');
  if (invite !== undefined) await showLink(screen, invite);
}
