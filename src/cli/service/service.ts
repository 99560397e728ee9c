/** `viber service`: runs the gateway as a service of this user, under the machine's own supervisor. */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { channelKinds } from '../../channels/index.ts';
import { envFileOf } from '../../config/env-file.ts';
import { errorCode, errorMessage, UserError } from '../../errors.ts';
import { viberCommand } from '../../lib/invocation.ts';
import { say, type Wording } from '../../messages/messages.ts';
import { type CliContext, EXIT } from '../../runtime/contract/cli.ts';
import { printServiceLog } from '../logs.ts';
import { runHere } from '../run-here.ts';
import type { ServiceFacts } from './files.ts';
import { adviceFor, type Supervisor, supervisorFor, USUAL_LINES } from './supervisor.ts';

const execute = promisify(execFile);
const ENV_FILE = 'service.env';
/** Variables that the gateway reads and a service does not inherit from the shell. */
const OURS = /^OPENVIBER_\w+$|_API_KEY$|^(HTTPS?|NO)_PROXY$|^(https?|no)_proxy$/;
const isOurVariable = (name: string): boolean =>
  OURS.test(name) || channelKinds().some((kind) => name.startsWith(`${kind.name.toUpperCase()}_`));

export async function run(context: CliContext): Promise<number> {
  const { args, home, env, print, switches, messages } = context;
  const supervisor = supervisorFor(process.platform, env);
  switch (args[0]) {
    case 'install':
      return await install(context, supervisor);
    case 'uninstall':
      return await removeService(supervisor, context);
    case 'logs':
      if (!fs.existsSync(supervisor.file)) {
        const [install, start] = [viberCommand('service install'), viberCommand('start')];
        print(messages.text('service.noLogs', { install, start }));
        return EXIT.failed;
      }
      return await printServiceLog(
        supervisor,
        { lines: USUAL_LINES, level: 0, isFollowing: switches.has('follow') },
        context,
      );
    default:
      if (!fs.existsSync(supervisor.file)) {
        print(messages.text('service.none', { home, command: viberCommand('service install') }));
        return EXIT.failed;
      }
      return await runHere(supervisor.status);
  }
}

/** Rewrites the file each time, so that reinstalling picks up a newer Node or a moved program. */
async function install(context: CliContext, supervisor: Supervisor): Promise<number> {
  const { home, print, switches, messages } = context;
  const facts = factsOf(context, supervisor);
  const text = supervisor.text(facts);
  if (switches.has('print')) {
    process.stdout.write(text);
    return EXIT.ok;
  }
  refuseOther(supervisor.file, home);
  const { openHome } = await import('../../workspace/home.ts');
  await openHome(home);
  if (switches.has('with-environment')) keepVariables(facts.envFile, context);
  fs.mkdirSync(path.dirname(supervisor.file), { recursive: true });
  if (supervisor.logFile !== '') fs.mkdirSync(path.dirname(supervisor.logFile), { recursive: true });
  const before = fs.existsSync(supervisor.file) ? fs.readFileSync(supervisor.file, 'utf8') : undefined;
  fs.writeFileSync(supervisor.file, text, { mode: 0o600 });
  // launchd refuses to load a loaded agent.
  if (supervisor.name === 'launchd') await quietly(supervisor.uninstall);
  for (const command of supervisor.install) {
    const problem = await failureOf(command);
    if (problem === undefined) continue;
    print(messages.text('service.failed', { command: command.join(' '), problem }));
    print(messages.said(adviceFor(supervisor, problem, os.release())));
    // launchd loads the file at the next login; systemd would need another installation in any case.
    if (supervisor.name === 'systemd') await putBack(supervisor, before);
    return EXIT.failed;
  }
  print(messages.text('service.written', { file: supervisor.file }));
  const [status, logs] = [viberCommand('service status'), viberCommand('service logs')];
  print(messages.text('service.runs', { home, status, logs }));
  for (const said of [...missingVariables(facts.envFile, context), ...(await keepAfterLogout(supervisor))])
    print(messages.said(said));
  return EXIT.ok;
}

async function putBack({ file, uninstall: commands }: Supervisor, before: string | undefined): Promise<void> {
  if (before !== undefined) return fs.writeFileSync(file, before, { mode: 0o600 });
  await quietly(commands);
  fs.rmSync(file);
}

function factsOf({ home, config, args: _args }: CliContext, { logFile }: Supervisor): ServiceFacts {
  return {
    node: process.execPath,
    program: fs.realpathSync(process.argv[1] ?? ''),
    home,
    logFile,
    config: config === undefined ? undefined : path.resolve(config),
    envFile: path.join(home, ENV_FILE),
  };
}

/** @throws {UserError} if a service for another home is installed: there is one service per user */
function refuseOther(file: string, home: string): void {
  const text = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
  const other = /^# Home: (.*)$/m.exec(text)?.[1];
  if (other !== undefined && other !== home)
    throw new UserError(say('service.other', { other, command: viberCommand('service uninstall') }));
}

const given = ({ env }: CliContext): string[] =>
  Object.keys(env).filter((name) => isOurVariable(name) && name !== 'OPENVIBER_HOME' && env[name]?.trim());

const variableNames = (file: string): Set<string> =>
  new Set(
    fs.existsSync(file)
      ? [...fs.readFileSync(file, 'utf8').matchAll(/^([A-Za-z]\w*)=/gm)].map(([, name]) => name ?? '')
      : [],
  );

/** Adds variables that the file lacks, and never changes existing ones. */
function keepVariables(file: string, context: CliContext): void {
  const known = new Set([...variableNames(file), ...variableNames(envFileOf(context.home))]);
  const lines = given(context).filter((name) => !known.has(name));
  const odd = lines.filter((name) => /["\\\p{Cc}]/u.test(context.env[name] ?? ''));
  if (odd.length > 0) throw new UserError(say('service.odd', { names: odd.join(', '), file }));
  const text = lines.map((name) => `${name}="${context.env[name]}"\n`).join('');
  fs.appendFileSync(file, text, { mode: 0o600 });
  fs.chmodSync(file, 0o600);
}

/** Returns messages about missing variables: names only, never values. */
function missingVariables(file: string, context: CliContext): Wording[] {
  // Every command also reads the home's own file.
  const known = new Set([...variableNames(file), ...variableNames(envFileOf(context.home))]);
  const names = given(context).filter((name) => !known.has(name));
  if (names.length === 0) return [];
  const command = viberCommand('service install --with-environment');
  return [say('service.unseen', { names: names.join(', '), file, command })];
}

/** Enables lingering: without it, a user's services begin with the first session and end with the last. */
async function keepAfterLogout({ name }: Supervisor): Promise<Wording[]> {
  if (name !== 'systemd') return [];
  const user = os.userInfo().username;
  const found = await execute('loginctl', ['show-user', user, '--property=Linger', '--value']).catch(() => ({
    stdout: '',
  }));
  if (found.stdout.trim() === 'yes') return [];
  // Most machines allow this without extra rights; otherwise don't prompt for a password here.
  if ((await failureOf(['loginctl', '--no-ask-password', 'enable-linger'])) === undefined)
    return [say('service.lingers', { user })];
  return [say('service.ends', { user })];
}

export async function removeService(supervisor: Supervisor, { print, messages }: CliContext): Promise<number> {
  if (!fs.existsSync(supervisor.file)) {
    print(messages.text('service.noService'));
    return EXIT.ok;
  }
  await quietly(supervisor.uninstall);
  fs.rmSync(supervisor.file);
  if (supervisor.name === 'systemd') await failureOf(['systemctl', '--user', 'daemon-reload']);
  print(messages.text('service.removed', { file: supervisor.file }));
  return EXIT.ok;
}

/** Ignores failures: what does not run can't be stopped. */
async function quietly(commands: readonly string[][]): Promise<void> {
  for (const command of commands) await failureOf(command);
}

/** Returns the error message of a command, or undefined on success. */
async function failureOf([program = '', ...args]: readonly string[]): Promise<string | undefined> {
  try {
    await execute(program, args);
    return undefined;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return `there is no ${program} here`;
    const said = typeof error === 'object' && error !== null && 'stderr' in error ? String(error.stderr).trim() : '';
    return said || errorMessage(error);
  }
}
