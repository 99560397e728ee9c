/** Chooses the model: checks it with one short call, like the wizard, and saves it. */
import { z } from 'zod';
import { requireFresh } from '../../board/fresh.ts';
import { RequestError, wrongField } from '../../board/respond.ts';
import { withChange } from '../../config/change.ts';
import { valueAt } from '../../config/validate.ts';
import { say, type Wording } from '../../messages/messages.ts';
import type { BoardAt, Caller } from '../../runtime/contract/board.ts';
import type { Finding } from '../../runtime/contract/finding.ts';
import {
  knownProvider,
  LOCAL_PROVIDERS,
  OFFLINE_MODEL,
  PROVIDERS,
  splitModelName,
} from '../../runtime/contract/providers.ts';
import { checkChosen } from '../../runtime/model/check.ts';
import { localServers } from '../../runtime/model/local-servers.ts';
import {
  addressProblem,
  isKeyed,
  KEY_PAGES,
  modelChange,
  modelFix,
  modelsAt,
  wholeAddress,
} from '../../runtime/model/setup.ts';
import { configOf, type Gateway } from '../gateway.ts';
import { changeSetup, refuseOutside, refuseReference } from './change.ts';
import { environmentOf, readSettings } from './current.ts';

const line = z
  .string()
  .max(500)
  .refine((value) => !/[\p{Cc}\s]/u.test(value));

export const modelBody = z.strictObject({
  provider: line.min(1),
  model: line,
  key: line.optional(),
  address: line.optional(),
  /** Whether to save it even if it doesn't answer. */
  keep: z.boolean().optional(),
  /** Whether to check it only. */
  test: z.boolean().optional(),
});
type ModelRequest = z.output<typeof modelBody>;

const isLocal = (name: string): boolean => LOCAL_PROVIDERS.some((each) => each === name);

/** An endpoint whose address the owner gives. */
const CUSTOM = 'custom';

export async function showModels(gw: Gateway): Promise<object> {
  const env = environmentOf(gw);
  const { providers } = configOf(gw);
  const hasKey = (name: string) =>
    providers[name]?.apiKey !== undefined || (knownProvider(name)?.env ?? []).some((variable) => env[variable]);
  const servers = await localServers(env);
  const listed = new Set<string>([CUSTOM, 'ollama', 'offline', ...servers.map(({ name }) => name)]);
  const { provider: current } = splitModelName(gw.models.modelName());
  const others = [...new Set([...Object.keys(providers), current])].filter(
    (name) => !isKeyed(name) && !listed.has(name),
  );
  return {
    model: gw.models.modelName(),
    offline: OFFLINE_MODEL,
    ollama: servers.find(({ name }) => name === 'ollama')?.models,
    local: servers.filter(({ name }) => name !== 'ollama'),
    providers: [
      ...Object.entries(KEY_PAGES).map(([name, { label, page }]) => ({
        name,
        label,
        page,
        hasKey: hasKey(name),
        usual: PROVIDERS[name]?.defaultModel ?? '',
      })),
      ...others.map((name) => ({ name, label: name, hasKey: hasKey(name), usual: '' })),
    ],
  };
}

/** Checks the model and saves it if it answers or `keep` is set. */
export async function takeModel(wanted: ModelRequest, caller: Caller, at: BoardAt, gw: Gateway): Promise<object> {
  const { key = '', address = '', test = false, keep = false } = wanted;
  // The key is secret, and the address receives it with every message.
  if (key !== '' || address !== '') requireFresh(caller);
  for (const [name, value] of Object.entries(wanted)) if (typeof value === 'string') refuseReference(name, value);
  const written = await readSettings(at);
  const custom = wanted.provider === CUSTOM ? await customAt(wanted, written.data, gw) : undefined;
  if (custom && wanted.model === '') return { names: custom.names, address: custom.baseURL };
  const name = wanted.provider === 'offline' ? OFFLINE_MODEL : `${wanted.provider}/${wanted.model}`;
  if (!isKnownProvider(wanted.provider, gw)) throw wrongField('provider', say('expected.model'));
  const change = modelChange(name, environmentOf(gw), {
    ...(key !== '' && { key }),
    ...(custom && { baseURL: custom.baseURL }),
  });
  refuseOutside(change, gw);
  const { config, env } = await withChange(written.file, change, environmentOf(gw), gw.home.root);
  const findings = name === OFFLINE_MODEL ? [] : await checkChosen(name, config.providers, env);
  const isWrong = findings.some(({ state }) => state === 'wrong');
  const isSaved = !test && (!isWrong || keep);
  if (isSaved) await changeSetup(caller, at, gw, async () => change);
  const fix = isWrong ? modelAdvice(findings, wanted.provider) : undefined;
  return { ok: !isWrong, isSaved, findings, ...(fix && { fix }) };
}

const isKnownProvider = (provider: string, gw: Gateway): boolean =>
  isKeyed(provider) ||
  isLocal(provider) ||
  [CUSTOM, 'offline'].includes(provider) ||
  Object.hasOwn(configOf(gw).providers, provider);

function modelAdvice(findings: readonly Finding[], provider: string): Wording | undefined {
  const wrong = findings.filter(({ state }) => state === 'wrong');
  return modelFix(wrong, isKeyed(provider) ? KEY_PAGES[provider].page : undefined);
}

/** An existing key or header belongs to the previous address, so it must not be sent to another one. */
async function customAt({ key = '', address = '' }: ModelRequest, data: object, gw: Gateway) {
  const whole = wholeAddress(address);
  if (whole === undefined) throw wrongField('address', addressProblem(address) ?? say('setup.badAddress'));
  const { providers } = configOf(gw);
  const there = valueAt(data as never, ['providers', CUSTOM]);
  if (valueAt(there, ['headers']) !== undefined || providers[CUSTOM]?.headers)
    throw new RequestError(
      409,
      'at_machine',
      say('boardSetup.atMachine', { name: `providers.${CUSTOM}`, how: say('boardSetup.inFile') }),
    );
  const hasKey = valueAt(there, ['apiKey']) !== undefined || environmentOf(gw).CUSTOM_API_KEY !== undefined;
  const isSame = valueAt(there, ['baseURL']) === whole;
  if (hasKey && key === '' && !isSame) throw wrongField('key', say('boardSetup.newKey'));
  return modelsAt(whole, key);
}
