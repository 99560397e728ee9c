/**
 * Asks for what an incomplete configuration lacks: channel tokens, variables that it names, and the model's key. Values
 * that are wrong rather than missing are left alone.
 */
import { isSecretName } from '../../config/secret-names.ts';
import { ConfigError } from '../../errors.ts';
import { say } from '../../messages/messages.ts';
import { splitModelName } from '../../runtime/contract/providers.ts';
import { createModels } from '../../runtime/model/models.ts';
import { isKeyed, KEY_PAGES, modelChange } from '../../runtime/model/setup.ts';
import { setUp } from './chat.ts';
import { chooseModel } from './models.ts';
import { checkPlatform, platforms } from './platforms.ts';
import type { Screen } from './screen.ts';
import type { Settings } from './settings.ts';

const NOTHING = { settings: [], secrets: {} };

/** Asks for all values together, since settings can be read only once nothing is missing, and then checks them. */
export async function askMissing(screen: Screen, settings: Settings): Promise<void> {
  const missing = await missingIn(settings);
  const secrets: Record<string, string> = {};
  for (const { path, variable } of missing) secrets[variable] ??= await askValue(screen, path, variable);
  if (missing.length > 0) await settings.save({ settings: [], secrets });
  await settings.load();
  for (const platform of platforms()) {
    if (!missing.some(({ path }) => path.startsWith(`channels.${platform.name}.`))) continue;
    const found = await checkPlatform(settings, platform, NOTHING);
    const wrong = found.filter(({ state }) => state === 'wrong').map(({ detail }) => detail);
    if (wrong.length === 0) screen.good(found[0]?.detail ?? say('setup.labelAnswers', { label: platform.label }));
    else {
      screen.bad(...wrong);
      await setUp(screen, settings, platform);
    }
  }
}

/** Returns true if the model's key was missing and has been asked for. */
export async function askMissingKey(screen: Screen, settings: Settings, model: string): Promise<boolean> {
  const { config } = await settings.load();
  const { provider } = splitModelName(model);
  if (!lacksKey(() => createModels({ providers: config.providers, env: settings.env }).check(model))) return false;
  const page = isKeyed(provider) ? KEY_PAGES[provider].page : undefined;
  screen.say(page === undefined ? say('setup.keyMissing', { model }) : say('setup.keyMissingPage', { model, page }));
  await chooseModel(screen, settings, async () => {
    const key = await screen.secret(say('setup.pasteKeyFor', { provider }));
    return { change: modelChange(model, settings.env, { key }), ...(page && { page }) };
  });
  return true;
}

function lacksKey(check: () => void): boolean {
  try {
    check();
    return false;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.every(({ path }) => path.endsWith('.apiKey'));
  }
}

async function missingIn(settings: Settings): Promise<{ path: string; variable: string }[]> {
  try {
    await settings.load();
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.flatMap(({ path, variable }) => (variable === undefined ? [] : [{ path, variable }]));
  }
}

function askValue(screen: Screen, path: string, variable: string): Promise<string> {
  const [, channel, key] = path.split('.');
  const setup = platforms().find(({ name }) => name === channel && path.startsWith('channels.'))?.setup;
  const token = setup?.tokens.find((each) => each.key === key);
  screen.say(token && setup ? say('setup.missingPage', { path, page: setup.page }) : say('setup.missing', { path }));
  if (token !== undefined) return screen.secret(token.question);
  return isSecretName(variable)
    ? screen.secret(say('setup.secretValue', { variable }))
    : screen.text(say('setup.value', { variable }));
}
