/** `viber init` with options, for scripts and without a terminal. Asks nothing; reports what is wrong. */
import { exampleOf, isAccount } from '../../channels/index.ts';
import { UserError } from '../../errors.ts';
import { viberCommand } from '../../lib/invocation.ts';
import { say } from '../../messages/messages.ts';
import type { CliContext } from '../../runtime/contract/cli.ts';
import { EXIT } from '../../runtime/contract/cli.ts';
import { modelChange } from '../../runtime/model/setup.ts';
import { awayFix, type Finding, isAway, SIGNS } from '../doctor/finding.ts';
import { checkModel } from './models.ts';
import { cardOf, checkPlatform, type Platform, platformChange, platforms, variableFor } from './platforms.ts';
import type { Change, Settings } from './settings.ts';

export const isScripted = ({ values, switches }: CliContext): boolean =>
  switches.has('yes') || Object.keys(values).some((name) => name !== 'home' && name !== 'config');

export async function script(context: CliContext, settings: Settings): Promise<number> {
  const { values, print, json, messages } = context;
  const findings: Finding[] = [];
  const links: Record<string, string> = {};
  let isSetting = false;
  /** Saves the change if the doctor finds no problem. */
  async function apply(change: Change, check: () => Promise<Finding[]>): Promise<boolean> {
    const found = await check();
    findings.push(...found);
    const wrong = found.filter(({ state }) => state === 'wrong');
    isSetting ||= wrong.some((one) => one.isSetting);
    if (wrong.length > 0) return false;
    await settings.save(change);
    return true;
  }
  const model = modelOf(context);
  if (model) await apply(model, () => checkModel(settings, model));
  for (const platform of platforms()) {
    const change = platformOf(context, platform);
    if (change && (await apply(change, () => checkPlatform(settings, platform, change))))
      links[platform.name] = (await cardOf(platform, (await settings.load()).config)).link;
  }
  await settings.save({ settings: await ownerSetting(values.owner, settings), secrets: {} });
  await settings.begin();
  const isWell = findings.every(({ state }) => state !== 'wrong');
  const file = await settings.file();
  const checks = findings.map((finding) => ({ ...finding, detail: messages.said(finding.detail) }));
  if (json) print(JSON.stringify({ ok: isWell, home: settings.home, config: file, checks, links }));
  else {
    for (const { name, state, detail } of checks) print(`${SIGNS[state]} ${name.padEnd(14)} ${detail}`);
    const away = findings.find(({ state, detail }) => state === 'wrong' && isAway(detail));
    if (away) print(messages.said(awayFix(away.detail)));
    for (const platform of platforms()) {
      const link = links[platform.name];
      if (link !== undefined) print(messages.text('setup.writeTo', { label: platform.label, link }));
    }
    print(messages.text('setup.homeIs', { home: settings.home, file }));
    if (isWell) print(messages.text('setup.startWith', { command: viberCommand('start') }));
  }
  if (isWell) return EXIT.ok;
  return isSetting ? EXIT.badConfig : EXIT.failed;
}

function modelOf({ values, env }: CliContext): Change | undefined {
  const { model } = values;
  const [variable, baseURL] = [values['model-key-env'], values['base-url']];
  if (model === undefined) {
    if (variable === undefined && baseURL === undefined) return undefined;
    throw new UserError(say('setup.needModel'));
  }
  const key = variable === undefined ? undefined : secretIn(env, variable, 'model-key-env');
  return modelChange(model, env, { ...(key && { key }), ...(baseURL && { baseURL }) });
}

/** Returns undefined if no option is about the platform. */
function platformOf({ values, env }: CliContext, platform: Platform): Change | undefined {
  const given = platform.setup.tokens.flatMap(({ key, option }): [string, string][] => {
    const from = values[option];
    return from === undefined ? [] : [[variableFor(platform, key), secretIn(env, from, option)]];
  });
  return given.length === 0 ? undefined : platformChange(platform, Object.fromEntries(given));
}

function secretIn(env: NodeJS.ProcessEnv, name: string, option: string): string {
  const value = env[name]?.trim();
  if (value) return value;
  throw new UserError(say('setup.unsetVariable', { option, name }));
}

async function ownerSetting(owner: string | undefined, settings: Settings): Promise<Change['settings']> {
  if (owner === undefined) return [];
  if (!isAccount(owner)) throw new UserError(say('setup.ownerForm', { owner, example: exampleOf('account') }));
  const { people } = (await settings.load()).config;
  if (people.some(({ ids }) => ids.includes(owner))) return [];
  const name = people.some((person) => person.name === 'owner') ? `owner ${owner.replace(/\W/g, '-')}` : 'owner';
  return [{ path: ['people', people.length], value: { name, role: 'owner', ids: [owner] } }];
}
