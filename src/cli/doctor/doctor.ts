/** `viber doctor`: prints one line per check, with a fix for each problem. Works beside a running gateway. */

import { unreadLines } from '../../config/env-file.ts';
import { secretFileProblems } from '../../config/secret-files.ts';
import { loadConfig } from '../../config.ts';
import { ConfigError, problemSaid } from '../../errors.ts';
import { loadFeatures } from '../../features.ts';
import { scrub } from '../../log.ts';
import { say } from '../../messages/messages.ts';
import { type CliContext, EXIT } from '../../runtime/contract/cli.ts';
import { homeAt, offeredNames } from '../../runtime/features.ts';
import { runningGateways } from '../running.ts';
import { checkChannels, checkEngine, checkGateways, checkHandles, checkHome, checkModels } from './checks.ts';
import { type Finding, SIGNS, wrong } from './finding.ts';
import { checkTimezone } from './timezone.ts';
import { checkVibers } from './vibers.ts';
import { checkWritten } from './written.ts';

/** Returns exit code 0 without problems (notes don't count), 2 for a wrong setting, and 1 for anything else. */
export async function run(context: CliContext): Promise<number> {
  const findings = (await examine(context)).map((finding) => ({
    ...finding,
    detail: harmlessLine(scrub(context.messages.said(finding.detail))),
  }));
  const bad = findings.filter(({ state }) => state === 'wrong');
  if (context.json) {
    const checks = findings.map(({ name, state, detail }) => ({ name, ok: state !== 'wrong', state, detail }));
    context.print(JSON.stringify({ ok: bad.length === 0, checks }));
  } else {
    for (const { name, state, detail } of findings) context.print(`${SIGNS[state]} ${name.padEnd(14)} ${detail}`);
  }
  if (bad.some(({ isSetting }) => isSetting)) return EXIT.badConfig;
  return bad.length > 0 ? EXIT.failed : EXIT.ok;
}

/** Text from files and servers must not control the terminal. */
const harmlessLine = (text: string) => text.replace(/\s+/g, ' ').replace(/[\p{Cc}\p{Cf}]/gu, '\ufffd');

async function examine({ home, config: file, env }: CliContext): Promise<Finding[]> {
  let loaded: Awaited<ReturnType<typeof loadConfig>>;
  try {
    loaded = await loadConfig({ file, home, env });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return wrong('configuration', error);
  }
  const { config, source, warnings, problems } = loaded;
  const zone = checkTimezone(config, env);
  const features = await loadFeatures();
  const at = homeAt(features, config, home);
  const checked = { ...at, env, names: (vibers: readonly string[]) => offeredNames(features, vibers, at) };
  const running = await runningGateways({ home, config: file, env });
  const called = await Promise.all([
    ...[
      checkModels(config, env, Object.assign({}, ...features.map(({ models }) => models))),
      checkVibers(config, home, env),
      checkChannels(config),
    ],
    ...features.map(async ({ check }) => (await check?.(checked)) ?? []),
    checkEngine(config),
  ]);
  return [
    { name: 'configuration', state: 'ok', detail: source ?? say('doctor.defaults') },
    ...[...warnings, ...unreadLines(home), ...secretFileProblems(env)].map(
      (detail): Finding => ({ name: 'configuration', state: 'note', detail }),
    ),
    ...problems.map(
      (problem): Finding => ({ name: 'plugins', state: 'wrong', detail: problemSaid(problem), isSetting: true }),
    ),
    ...checkHome({ home, source, freeBytes: config.limits.freeBytes }),
    ...zone,
    ...checkHandles(running),
    ...checkGateways(running, config),
    ...called.flat(),
    ...checkWritten(home),
  ];
}
