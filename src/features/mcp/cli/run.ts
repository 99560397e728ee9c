/** `viber mcp`: adds, lists and removes MCP servers, and logs in at them. */
import path from 'node:path';
import { loadConfig } from '../../../config.ts';
import { UserError } from '../../../errors.ts';
import { viberCommand } from '../../../lib/invocation.ts';
import { silentLog } from '../../../log.ts';
import { say } from '../../../messages/messages.ts';
import { type CliContext, type CliServices, EXIT } from '../../../runtime/contract/cli.ts';
import { leftOutNote } from '../check.ts';
import { isInstalled, packageOf } from '../installed.ts';
import { installsIn, type SurveyedServer } from '../server.ts';
import { McpServers } from '../servers.ts';
import { addedServer, type NewServer } from './added.ts';
import { findServer, loginsIn, type Servers } from './servers.ts';

export async function run(context: CliContext, cli: CliServices): Promise<number> {
  const [verb = 'list', name = '', ...rest] = context.args;
  const servers = await configured(context);
  switch (verb) {
    case 'add':
      return addServer(name, addedServer(name, rest, context), servers, context, cli);
    case 'remove':
      return removeServer(name, servers, context, cli);
    case 'login': {
      const { logInAtTerminal } = await import('./login.ts');
      await logInAtTerminal(name, servers, context);
      return printServers(await survey({ [name]: servers[name] }, context), context);
    }
    default:
      return listServers(servers, context);
  }
}

const configured = async ({ config, home, env }: CliContext): Promise<Servers> =>
  (await loadConfig({ file: config, home, env })).config.mcp;

/** Starts or calls each server, and returns what it found. */
async function survey(
  servers: Record<string, Servers[string] | undefined>,
  context: CliContext,
): Promise<SurveyedServer[]> {
  const given = Object.fromEntries(Object.entries(servers).flatMap(([name, one]) => (one ? [[name, one]] : [])));
  const cache = path.join(context.home, 'cache');
  const logins = await loginsIn(context);
  announceInstalls(given, cache, context);
  const all = new McpServers({ servers: given, log: silentLog(), oauth: { logins }, cache });
  try {
    return await all.survey();
  } finally {
    await all.close();
  }
}

/** Reports steps that take longer than a person would wait in silence. */
function announceInstalls(servers: Servers, cache: string, { print, messages, json }: CliContext): void {
  for (const wanted of Object.values(servers).flatMap((each) => packageOf(each) ?? []))
    if (!json && !isInstalled(installsIn(cache), wanted))
      print(messages.text('cli.mcpInstalling', { name: wanted.name, version: wanted.version }));
}

async function listServers(servers: Servers, context: CliContext): Promise<number> {
  const { print, messages, json } = context;
  const found = await survey(servers, context);
  if (found.length === 0 && !json) print(messages.text('cli.mcpNone', { command: viberCommand('mcp add NAME URL') }));
  return printServers(found, context);
}

/** Shows each server with its tools, or why it has none. */
function printServers(found: readonly SurveyedServer[], { print, messages, json }: CliContext): number {
  if (json) print(JSON.stringify(found, null, 2));
  else
    for (const { name, state, names, leftOut, problem = '', needsLogin } of found) {
      if (needsLogin) print(messages.text('cli.mcpNeedsLogin', { name, command: viberCommand(`mcp login ${name}`) }));
      else if (state !== 'connected') print(problem);
      else {
        print(messages.text('cli.mcpTools', { name, n: names.length }));
        for (const tool of names) print(`  ${tool}`);
        for (const tool of leftOut) print(messages.said(leftOutNote(name, tool)));
      }
    }
  return found.every(({ state, needsLogin }) => state === 'connected' || needsLogin) ? EXIT.ok : EXIT.failed;
}

async function addServer(
  name: string,
  { settings, secrets, note, isUnfinished }: NewServer,
  servers: Servers,
  context: CliContext,
  cli: CliServices,
): Promise<number> {
  const { print, messages, json } = context;
  if (servers[name]) throw new UserError(say('cli.mcpTaken', { name, command: viberCommand(`mcp remove ${name}`) }));
  const file = await cli.changeSettings([{ path: ['mcp', name], value: settings }], secrets);
  if (!json) {
    print(messages.text('cli.mcpAdded', { name, file }));
    if (note) print(messages.said(note));
  }
  if (!isUnfinished) {
    const now = await configured({ ...context, env: { ...context.env, ...secrets } });
    printServers(await survey({ [name]: now[name] }, context), context);
  }
  if (!json) print(messages.text('cli.allowedLater', { file }));
  return EXIT.ok;
}

async function removeServer(name: string, servers: Servers, context: CliContext, cli: CliServices): Promise<number> {
  findServer(name, servers);
  const file = await cli.changeSettings([{ path: ['mcp', name], value: undefined }]);
  (await loginsIn(context)).remove(name);
  context.print(context.messages.text('cli.mcpRemoved', { name }));
  context.print(context.messages.text('cli.allowedLater', { file }));
  return EXIT.ok;
}
