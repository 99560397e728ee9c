/** Asks a model for one word, as `viber doctor`, `viber init` and the Board do before a setting counts as working. */
import { ConfigError, errorCode, errorMessage, problemWith } from '../../errors.ts';
import { say, type Wording } from '../../messages/messages.ts';
import { attempt, CheckError, type FailedCheck, type Finding } from '../contract/finding.ts';
import type { CallOptions } from '../contract/model.ts';
import { betterAddress, OFFLINE_MODEL, splitModelName } from '../contract/providers.ts';
import { describeFailure, type RunError } from '../contract/run-error.ts';
import { isWebPage } from '../contract/web-page.ts';
import { createModels } from './models.ts';
import { ollamaWindow } from './ollama-window.ts';

export const MODEL_MS = 15_000;

type Providers = Parameters<typeof createModels>[0]['providers'];

/** Checks the settings of a model and asks it. */
export async function checkChosen(name: string, providers: Providers, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const asked = await attempt('model', MODEL_MS, async () => {
    createModels({ providers, env }).check(name);
    return checkModel(name, providers, env);
  });
  return [...asked, ...(await ollamaWindow(name, providers.ollama?.baseURL))];
}

export async function checkModel(name: string, providers: Providers, env: NodeJS.ProcessEnv): Promise<Wording[]> {
  try {
    // The built-in model has nothing to say to this prompt.
    if (name !== OFFLINE_MODEL) await sayOk(name, providers, env);
    return [say('doctor.answers', { name })];
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const { provider } = splitModelName(name);
    const baseURL = providers[provider]?.baseURL?.replace(/\/+$/, '');
    const right = baseURL === undefined ? undefined : betterAddress(baseURL);
    if (baseURL !== undefined && right !== undefined)
      await mustNotAnswer(name, provider, [baseURL, right], providers, env);
    const failure = describeFailure(error, name).error;
    const { kind, userMessage } = failure;
    const text = kind === 'quota' || kind === 'refused' || isWebPage(error) ? userMessage : errorMessage(error);
    const said = say('doctor.noAnswer', { name, why: text.split('\n').join('; ') });
    throw new CheckError(said, { cause: error, why: isWebPage(error) ? 'told' : whyFailed(failure) });
  }
}

function whyFailed({ kind, cause }: RunError): FailedCheck | undefined {
  if (kind === 'key') return 'key';
  if (kind === 'unreachable') return UNKNOWN_HOST.has(errorCode(cause) ?? '') ? 'unknown-host' : 'away';
  // A model that is busy or limits us was reached.
  return ['quota', 'refused', 'overloaded', 'provider'].includes(kind) ? 'told' : undefined;
}

const UNKNOWN_HOST = new Set(['ENOTFOUND', 'EAI_AGAIN']);

/** @throws {ConfigError} if the same model answers at the address that was probably meant */
async function mustNotAnswer(
  name: string,
  provider: string,
  [baseURL, right]: readonly [given: string, right: string],
  providers: Providers,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const answers = await sayOk(name, { ...providers, [provider]: { ...providers[provider], baseURL: right } }, env).then(
    () => true,
    () => false,
  );
  if (!answers) return;
  const key = right === `${baseURL}/v1` ? 'doctor.noV1' : 'doctor.otherAddress';
  throw new ConfigError([problemWith(`providers.${provider}.baseURL`, say(key, { name, given: baseURL, right }))]);
}

/** Every run sends tools, so this finds models that don't support them. */
const TOOLS: NonNullable<CallOptions['tools']> = [
  { type: 'function', name: 'nothing', description: 'Does nothing.', inputSchema: { type: 'object', properties: {} } },
];

/** Calls the model as a run does: with tools, streamed, and read to the end. */
async function sayOk(name: string, providers: Providers, env: NodeJS.ProcessEnv): Promise<void> {
  const model = await createModels({ providers, env }).load(name);
  const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Say OK.' }] }];
  const signal = AbortSignal.timeout(MODEL_MS);
  const { stream } = await model.doStream({ prompt, tools: TOOLS, maxOutputTokens: 16, abortSignal: signal });
  for await (const part of stream) if (part.type === 'error') throw part.error;
}
