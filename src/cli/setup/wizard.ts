/**
 * The wizard: a model, a chat platform, the first message, and how to keep running. Existing settings are not asked for
 * again; every step is saved before the next begins, so leaving loses only the current question.
 */
import { spawnSync } from 'node:child_process';
import type { App } from '../../app.ts';
import { ConfigError, problemSaid } from '../../errors.ts';
import { loadFeatures } from '../../features.ts';
import { viberCommand } from '../../lib/invocation.ts';
import { type Messages, say } from '../../messages/messages.ts';
import { EXIT } from '../../runtime/contract/cli.ts';
import { homeAt } from '../../runtime/features.ts';
import { choosePlatform } from './chat.ts';
import { meet, pairingOf, startGateway } from './meet.ts';
import { askMissing, askMissingKey } from './missing.ts';
import { chooseModel } from './models.ts';
import { type Platform, platformsOf } from './platforms.ts';
import { openScreen, type Screen, SetupExit } from './screen.ts';
import type { Settings } from './settings.ts';

export async function wizard(settings: Settings, messages: Messages): Promise<number> {
  const leaving = new AbortController();
  const screen = await openScreen(messages, leaving.signal);
  screen.intro(say('setup.title'));
  let app: App | undefined;
  const stop = async () => {
    await app?.stop();
    app = undefined;
  };
  async function steps(): Promise<void> {
    await askMissing(screen, settings);
    await prepare(screen, settings);
    const chosen = await platform(screen, settings);
    await askForFeatures(screen, settings);
    if (chosen === undefined) return screen.outro(say('setup.talkHere', { command: viberCommand('chat') }));
    const isOwned = (await pairingOf(settings)).ownership() === 'somebody';
    if (!isOwned) {
      app = await startGateway(settings);
      await meet(screen, settings, app, chosen);
    }
    await startOrInstall(screen, settings, stop);
  }
  // Ctrl-C while no question is open: what is under way ends at its next words.
  const left = Promise.withResolvers<never>();
  const leave = () => {
    leaving.abort();
    left.reject(new SetupExit('left'));
  };
  process.once('SIGINT', leave);
  try {
    await Promise.race([steps(), left.promise]);
    return EXIT.ok;
  } catch (error) {
    if (error instanceof ConfigError) {
      for (const problem of error.problems) screen.bad(problemSaid(problem));
      screen.outro(say('setup.fixThat', { command: viberCommand('init') }));
      return EXIT.badConfig;
    }
    if (!(error instanceof SetupExit)) throw error;
    screen.outro(say(settings.isSaved ? 'setup.kept' : 'setup.nothingKept', { command: viberCommand('init') }));
    return EXIT.ok;
  } finally {
    process.off('SIGINT', leave);
    await stop();
    // What is still under way may take long, and nobody waits for it.
    if (leaving.signal.aborted) process.exit(EXIT.ok);
  }
}

async function prepare(screen: Screen, settings: Settings): Promise<void> {
  const { config } = await settings.load();
  const on = platformsOf(config).map(({ label }) => label);
  if (config.model === undefined) return chooseModel(screen, settings);
  if (await askMissingKey(screen, settings, config.model)) return;
  screen.good(
    say('setup.model', { model: config.model }),
    ...(on.length > 0 ? [say('setup.chats', { names: on.join(', ') })] : []),
  );
  const next = await screen.select(say('setup.already'), [
    { value: 'on', label: say('setup.goOn') },
    { value: 'model', label: say('setup.otherModel') },
  ]);
  if (next === 'model') await chooseModel(screen, settings);
}

async function platform(screen: Screen, settings: Settings): Promise<Platform | undefined> {
  const [there] = platformsOf((await settings.load()).config);
  if (there === undefined) return choosePlatform(screen, settings);
  const next = await screen.select(say('setup.yourChats'), [
    { value: 'on', label: say('setup.goOnWith', { label: there.label }) },
    { value: 'more', label: say('setup.addChat') },
  ]);
  return next === 'on' ? there : ((await choosePlatform(screen, settings)) ?? there);
}

async function askForFeatures(screen: Screen, settings: Settings): Promise<void> {
  const features = await loadFeatures();
  for (const { setup } of features) {
    if (!setup) continue;
    const asked = await setup(homeAt(features, (await settings.load()).config, settings.home));
    if (!asked) continue;
    const { question, no, choices } = asked;
    const chosen = await screen.select(question, [
      { value: 'no', label: no },
      ...choices.map(({ label }, at) => ({ value: `${at}`, label })),
    ]);
    const choice = choices[Number(chosen)];
    if (choice) await settings.save({ settings: choice.settings, secrets: {} });
  }
}

/** Continues as a service if possible, or here until Ctrl-C. */
async function startOrInstall(screen: Screen, settings: Settings, stop: () => Promise<void>): Promise<void> {
  const hasService = program(['service', '--help'], 'ignore') === EXIT.ok;
  const next = await screen.select(say('setup.keepRunning'), [
    ...(hasService ? [{ value: 'service', label: say('setup.background'), hint: say('setup.afterRestart') }] : []),
    { value: 'here', label: say('setup.inTerminal') },
    { value: 'later', label: say('setup.notNow') },
  ]);
  await stop();
  if (next === 'service' && program(['service', 'install', ...settings.options], 'inherit') === EXIT.ok)
    return screen.outro(say('setup.running'));
  if (next === 'service') screen.bad(say('setup.noService'));
  if (next !== 'here') return screen.outro(say('setup.startWith', { command: viberCommand('start') }));
  screen.outro(say('setup.untilCtrlC'));
  const app = await startGateway(settings);
  if (!app) return;
  const signal = Promise.withResolvers<void>();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => signal.resolve());
  await signal.promise;
  await app.stop();
}

function program(args: string[], stdio: 'ignore' | 'inherit'): number | null {
  return spawnSync(process.execPath, [process.argv[1] ?? '', ...args], { stdio }).status;
}
