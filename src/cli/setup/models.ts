/**
 * Asks for the model: with a pasted key, from a server on this machine, at a compatible address, or the small built-in
 * one.
 */
import { say } from '../../messages/messages.ts';
import { type Finding, says } from '../../runtime/contract/finding.ts';
import { OFFLINE_MODEL, PROVIDERS } from '../../runtime/contract/providers.ts';
import { localServers } from '../../runtime/model/local-servers.ts';
import {
  addressProblem,
  isKeyed,
  KEY_PAGES,
  type KeyedProvider,
  modelChange,
  modelFix,
  modelsAt,
  wholeAddress,
} from '../../runtime/model/setup.ts';
import { checkModels } from '../doctor/checks.ts';
import type { Choice, Screen } from './screen.ts';
import type { Change, Settings } from './settings.ts';

export async function checkModel(settings: Settings, change: Change): Promise<Finding[]> {
  const { config, env } = await settings.with(change);
  const findings = await checkModels({ ...config, fallback: [] }, env);
  // The note about the built-in model's size is dropped: the person has just chosen it.
  return findings.filter(({ state, detail }) => state !== 'note' || !says(detail, 'doctor.small'));
}

const BUILT_IN: Change = { settings: [{ path: ['model'], value: OFFLINE_MODEL }], secrets: {} };

const detailsOf = (findings: readonly Finding[], wanted: Finding['state']): Finding['detail'][] =>
  findings.filter(({ state }) => state === wanted).map(({ detail }) => detail);

interface ModelChange {
  change: Change;
  page?: string;
}

/** Asks until a model answers or the person accepts the problem. */
export async function chooseModel(
  screen: Screen,
  settings: Settings,
  ask: () => Promise<ModelChange> = () => askModel(screen, settings),
): Promise<void> {
  for (;;) {
    const { change, page } = await ask();
    // The built-in model needs no question to answer.
    if (change === BUILT_IN) return settings.save(change);
    screen.say(say('setup.askingModel'));
    const findings = await checkModel(settings, change);
    const wrong = findings.filter(({ state }) => state === 'wrong');
    if (wrong.length === 0) {
      await settings.save(change);
      screen.good(...detailsOf(findings, 'ok'));
      const notes = detailsOf(findings, 'note');
      if (notes.length > 0) screen.say(...notes);
      return;
    }
    const details = detailsOf(findings, 'wrong');
    const fix = modelFix(wrong, page);
    screen.bad(...details, ...(fix ? [fix] : []));
    const next = await screen.select(say('setup.whatNow'), [
      { value: 'again', label: say('setup.tryAgain') },
      { value: 'keep', label: say('setup.keepIt') },
    ]);
    if (next === 'again') continue;
    await settings.save(change);
    return;
  }
}

async function askModel(screen: Screen, settings: Settings): Promise<ModelChange> {
  const { env } = settings;
  const servers = await localServers(env);
  const ollama = servers.find(({ name }) => name === 'ollama');
  const others = servers.filter(({ name }) => name !== 'ollama');
  const choices: Choice<string>[] = [
    ...Object.entries(KEY_PAGES).map(([value, { label }]) => ({ value, label })),
    {
      value: 'ollama',
      label: say('setup.ollama'),
      hint: ollama === undefined ? say('setup.noOllama') : say('setup.found', { n: ollama.models.length }),
    },
    ...others.map(({ name: value, label: name, models }) => ({
      value,
      label: say('setup.onThisMachine', { name }),
      hint: say('setup.found', { n: models.length }),
    })),
    { value: 'custom', label: say('setup.otherAddress'), hint: say('setup.compatible') },
    { value: 'offline', label: say('setup.noneYet'), hint: say('setup.builtIn') },
  ];
  const found = Object.keys(KEY_PAGES).find((name) => PROVIDERS[name]?.env.some((variable) => env[variable]));
  const chosen = await screen.select(
    say('setup.whichModel'),
    choices,
    found ?? servers.find(({ models }) => models.length > 0)?.name ?? 'anthropic',
  );
  if (isKeyed(chosen)) return askKey(screen, chosen, env);
  const server = servers.find(({ name }) => name === chosen);
  if (server?.models.length) {
    const names = server.models.map((name) => ({ value: name, label: name }));
    const name = await screen.select(say('setup.whichOfIts'), names);
    return { change: modelChange(`${server.name}/${name}`, env, {}) };
  }
  if (chosen === 'ollama' || server !== undefined) {
    const label = server?.label ?? '';
    screen.say(
      chosen !== 'ollama'
        ? say('setup.noLocalModel', { name: label })
        : say(server === undefined ? 'setup.startOllama' : 'setup.noOllamaModel'),
    );
    return askModel(screen, settings);
  }
  if (chosen === 'custom') return askAddress(screen, env);
  return { change: BUILT_IN };
}

async function askKey(
  screen: Screen,
  provider: KeyedProvider,
  env: NodeJS.ProcessEnv,
): Promise<{ change: Change; page: string }> {
  const { page } = KEY_PAGES[provider];
  const { env: variables = [], defaultModel = '' } = PROVIDERS[provider] ?? {};
  const model = `${provider}/${defaultModel}`;
  const there = variables.find((name) => env[name]);
  const kept = there === undefined ? undefined : env[there];
  if (there !== undefined && kept && (await screen.confirm(say('setup.useKey', { variable: there }))))
    return { change: modelChange(model, env, { key: kept }), page };
  screen.say(say('setup.makeKey', { page }));
  return { change: modelChange(model, env, { key: await screen.secret(say('setup.pasteKey')) }), page };
}

async function askAddress(screen: Screen, env: NodeJS.ProcessEnv): Promise<{ change: Change }> {
  const typed = await screen.text(say('setup.itsAddress'), 'http://127.0.0.1:8080/v1', addressProblem);
  const key = await screen.secret(say('setup.pasteItsKey'), true);
  const { baseURL, names } = await modelsAt(wholeAddress(typed) ?? typed, key);
  const name = names.length
    ? await screen.select(
        say('setup.whichOfIts'),
        names.map((value) => ({ value, label: value })),
      )
    : await screen.text(say('setup.modelName'));
  return { change: modelChange(`custom/${name}`, env, { key, baseURL }) };
}
