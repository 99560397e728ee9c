/** `viber board`: prints a login link for the Board of the running gateway, lists sessions and revokes them. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { UserError } from '../../../errors.ts';
import { commandForAnyone, viberCommand } from '../../../lib/invocation.ts';
import { plainLine } from '../../../lib/text.ts';
import { say } from '../../../messages/messages.ts';
import { type CliContext, type CliServices, EXIT, type RunningGateway } from '../../../runtime/contract/cli.ts';
import type { LoginAnswer, LoginRequest } from '../logins.ts';
import { sharedOrigin } from './share.ts';

export async function run(context: CliContext, { gateway }: CliServices): Promise<number> {
  const [verb, id = ''] = context.args;
  const running = await gateway();
  if (verb === 'sessions') return listSessions(context, running);
  if (verb === 'revoke') return revoke(context, id, running);
  return openPage(context, running);
}

async function openPage(context: CliContext, running: RunningGateway | undefined): Promise<number> {
  const { home, json, print, switches, env, messages } = context;
  if (!running) throw new UserError(say('cli.startFirst', { home, start: viberCommand('start') }));
  if (switches.has('share')) return printShareLink(context, running);
  const { url = '' } = await askGateway(running, { ask: 'link' });
  print(json ? JSON.stringify({ url }) : messages.text('cli.boardLink', { url }));
  if (!json && !switches.has('no-open') && process.stdout.isTTY) openBrowser(url, env);
  return EXIT.ok;
}

/** Prints a link for a phone, as text and as a QR code. */
async function printShareLink({ json, print, messages, env }: CliContext, running: RunningGateway): Promise<number> {
  const { origins = [], port = 0 } = await askGateway(running, { ask: 'origins' });
  const origin = await sharedOrigin(origins, port, env);
  const { url = '' } = await askGateway(running, { ask: 'link', origin });
  if (json) print(JSON.stringify({ url }));
  else {
    const { renderUnicodeCompact } = await import('uqr');
    print(renderUnicodeCompact(url));
    print(messages.text('cli.boardLink', { url }));
  }
  return EXIT.ok;
}

/** Opens the browser if this machine has a screen. It doesn't matter if this fails: the address has been printed. */
function openBrowser(url: string, env: NodeJS.ProcessEnv): void {
  const isScreen = env.DISPLAY !== undefined || env.WAYLAND_DISPLAY !== undefined;
  const program =
    process.platform === 'darwin' ? 'open' : process.platform === 'linux' && isScreen ? 'xdg-open' : undefined;
  if (program === undefined) return;
  spawn(program, [url], { stdio: 'ignore', detached: true })
    .on('error', () => 'there is no such program')
    .unref();
}

async function listSessions(context: CliContext, running: RunningGateway | undefined): Promise<number> {
  const { home, json, print, messages } = context;
  const sessions = running
    ? ((await askGateway(running, { ask: 'sessions' })).sessions ?? [])
    : (await stored(home)).list(Date.now());
  if (json) print(JSON.stringify({ sessions }));
  else {
    for (const { id, from, name, seen, agent = '' } of sessions) {
      const whose =
        from === 'machine' ? commandForAnyone('board') : messages.text('cli.boardOf', { name: plainLine(name ?? '') });
      const line = messages.text('cli.boardSession', { id, whose, seen });
      print(agent === '' ? line : `${line}  ${plainLine(agent)}`);
    }
    if (sessions.length === 0) print(messages.text('cli.noLogins'));
  }
  return EXIT.ok;
}

async function revoke(context: CliContext, id: string, running: RunningGateway | undefined): Promise<number> {
  const { home, json, print, messages } = context;
  if (running) await askGateway(running, { ask: 'revoke', id });
  else if (!(await stored(home)).revoke(id))
    throw new UserError(say('cli.unknownLogin', { id, command: viberCommand('board sessions') }));
  print(json ? JSON.stringify({ revoked: id }) : messages.text('cli.loggedOut', { id }));
  return EXIT.ok;
}

const askGateway = (running: RunningGateway, asked: LoginRequest): Promise<LoginAnswer> =>
  running.request('board', asked);

/** Opens the session file directly, for use without a running gateway. */
async function stored(home: string) {
  const [{ openSessions }, { openHome }] = await Promise.all([
    import('../sessions.ts'),
    import('../../../workspace/home.ts'),
  ]);
  await openHome(home);
  return openSessions(path.join(home, 'access'));
}
