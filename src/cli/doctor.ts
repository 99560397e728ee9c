/** `viber doctor`: one line for each thing that must be right, with what to do where it is not. */
import fs from 'node:fs';
import path from 'node:path';
import { channelModules } from '../channels/index.ts';
import { loadConfig } from '../config.ts';
import { errorMessage } from '../errors.ts';
import { silentLog } from '../log.ts';
import { createModels } from '../runtime/model/models.ts';
import { type CliContext, EXIT } from './command.ts';

interface Check {
  name: string;
  ok: boolean;
  detail: string;
}

export async function run({ home, config: file, env, json, print }: CliContext): Promise<number> {
  const checks: Check[] = [];
  const check = async (name: string, work: () => Promise<string>) => {
    try {
      checks.push({ name, ok: true, detail: await work() });
    } catch (error) {
      checks.push({ name, ok: false, detail: errorMessage(error).split('\n').join('; ') });
    }
  };
  const { config, source, warnings } = await loadConfig({ file, home, env });
  checks.push({
    name: 'configuration',
    ok: true,
    detail: [source ?? 'defaults and environment', ...warnings].join('; '),
  });
  await check('home', async () => {
    fs.mkdirSync(home, { recursive: true, mode: 0o700 });
    const probe = path.join(home, `.doctor-${process.pid}`);
    fs.writeFileSync(probe, 'x', { flush: true });
    fs.rmSync(probe);
    const { bavail, bsize } = fs.statfsSync(home);
    return `${home} is writable, ${Math.round((bavail * bsize) / 1024 / 1024)} MB free`;
  });
  await check('model', async () => {
    const models = createModels({ providers: config.providers, env });
    const name = config.model ?? models.defaultModel;
    const model = await models.load(name);
    const signal = AbortSignal.timeout(15_000);
    const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Say OK.' }] }];
    await model.doGenerate({ prompt, maxOutputTokens: 16, abortSignal: signal });
    return `${name} answers`;
  });
  const { telegram } = config.channels;
  if (telegram) {
    await check('telegram', async () => {
      const { checkTelegram } = await channelModules.telegram();
      return checkTelegram({ token: telegram.token, apiRoot: telegram.apiRoot, log: silentLog() });
    });
  }
  if (json) print(JSON.stringify({ checks }));
  else for (const { name, ok, detail } of checks) print(`${ok ? 'ok  ' : 'BAD '} ${name.padEnd(14)} ${detail}`);
  return checks.every(({ ok }) => ok) ? EXIT.ok : EXIT.failed;
}
