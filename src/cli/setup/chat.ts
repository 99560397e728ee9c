/** Sets up chat platforms one after the other: shows the steps, asks for the tokens and checks them. */
import { oddToken } from '../../config/token-forms.ts';
import { say, type Wording } from '../../messages/messages.ts';
import { awayFix, type Finding, isAway, says, settingAtFault } from '../doctor/finding.ts';
import {
  cardOf,
  checkPlatform,
  type Platform,
  platformChange,
  platforms,
  platformsOf,
  variableFor,
} from './platforms.ts';
import type { Screen } from './screen.ts';
import type { Change, Settings } from './settings.ts';

export async function choosePlatform(screen: Screen, settings: Settings): Promise<Platform | undefined> {
  const all = platforms();
  const on = new Set(platformsOf((await settings.load()).config).map(({ name }) => name));
  const chosen = await screen.select<string>(
    say('setup.where'),
    [
      ...all.map(({ name, label }) => ({ value: name, label, ...(on.has(name) && { hint: say('setup.isSetUp') }) })),
      { value: 'none', label: say('setup.onlyTerminal') },
    ],
    all.find(({ name }) => !on.has(name))?.name ?? 'none',
  );
  const platform = all.find(({ name }) => name === chosen);
  return platform && (await setUp(screen, settings, platform)) ? platform : undefined;
}

export async function setUp(screen: Screen, settings: Settings, platform: Platform): Promise<boolean> {
  const { label, setup } = platform;
  screen.say(label, setup.steps);
  if (setup.link) screen.raw(await setup.link());
  else if (setup.paste) screen.raw(await setup.paste());
  let change = await askTokens(screen, platform);
  for (;;) {
    screen.say(say('setup.asking', { label }));
    const findings = await checkPlatform(settings, platform, change);
    const wrong = findings.filter(({ state }) => state === 'wrong');
    if (wrong.length === 0) {
      await settings.save(change);
      screen.good(findings[0]?.detail ?? say('setup.labelAnswers', { label }));
      return true;
    }
    await explain(screen, settings, { platform, change, wrong });
    const next = await screen.select(
      say('setup.whatNow'),
      [
        { value: 'token', label: say('setup.otherToken'), hint: setup.page },
        { value: 'check', label: say('setup.checkAgain') },
        { value: 'skip', label: say('setup.leaveOut') },
      ],
      isTokenAtFault(wrong, platform) ? 'token' : 'check',
    );
    if (next === 'skip') return false;
    if (next === 'token') change = await askTokens(screen, platform);
  }
}

/** Whether one of the platform's tokens is at fault. */
export const isTokenAtFault = (wrong: readonly Finding[], { name, setup }: Platform): boolean =>
  wrong.some(({ detail }) => setup.tokens.some(({ key }) => settingAtFault(detail) === `channels.${name}.${key}`));

async function askTokens(screen: Screen, platform: Platform): Promise<Change> {
  const secrets: Record<string, string> = {};
  for (const { before, question, key } of platform.setup.tokens) {
    if (before !== undefined) screen.say(before);
    secrets[variableFor(platform, key)] = await screen.secret(question);
  }
  return platformChange(platform, secrets);
}

interface RefusedChange {
  platform: Platform;
  change: Change;
  wrong: readonly Finding[];
}

/** Says whose token was pasted instead. */
const oddTokens = (platform: Platform, { secrets }: Change): Wording[] =>
  platform.setup.tokens.flatMap(({ key }) => oddToken(platform.name, key, secrets[variableFor(platform, key)]) ?? []);

/** Blames a token only if the platform was reached. */
function fixFor(wrong: readonly Finding[], { setup }: Platform): Wording {
  const away = wrong.find(({ detail }) => isAway(detail));
  return away ? awayFix(away.detail) : say('setup.fixHere', { page: setup.page });
}

/** Explains what is wrong. If the bot is in no server yet, shows the invitation link. */
async function explain(screen: Screen, settings: Settings, { platform, change, wrong }: RefusedChange): Promise<void> {
  const odd = oddTokens(platform, change);
  if (odd.length > 0) screen.bad(...odd);
  const isAlone = (detail: Finding['detail']) => says(detail, 'checks.inNoServer');
  const others = wrong.filter(({ detail }) => !isAlone(detail));
  if (others.length > 0) screen.bad(...others.map(({ detail }) => detail), fixFor(others, platform));
  if (others.length === wrong.length) return;
  const { config } = await settings.with(change);
  const { invite } = await cardOf(platform, config);
  screen.say(say('setup.noServerYet'));
  if (invite !== undefined) await screen.link(invite);
}
