/**
 * `viber logs`: prints the newest lines of the log, of the service or else of a running gateway, which keeps its last
 * thousand lines in memory.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import readline from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode, UserError } from '../errors.ts';
import { viberCommand } from '../lib/invocation.ts';
import { isRecord, parseJson } from '../lib/json.ts';
import { prettyLine } from '../log.ts';
import { say } from '../messages/messages.ts';
import { type CliContext, type CliServices, EXIT, type RunningGateway } from '../runtime/contract/cli.ts';
import { LOG_LEVELS } from './levels.ts';
import { isServiceOf, type Supervisor, supervisorFor } from './service/supervisor.ts';

const USUAL_LINES = 100;
const MAX_LINES = 100_000;
/** How many lines are looked at for each one wanted, since a level leaves out most. */
const LOOKED_AT = 50;
const LOOK_MS = 500;
/** Looks without an answer, after which the gateway has ended. */
const MAX_MISSES = 60;

interface Selection {
  lines: number;
  /** Pino's number; 0 for all. */
  level: number;
  isFollowing: boolean;
}

export async function run(context: CliContext, { gateway }: CliServices): Promise<number> {
  const wanted = selectionIn(context);
  const service = serviceOfHome(context);
  if (service) return await printServiceLog(service, wanted, context);
  const running = await gateway();
  if (running) return await ofGateway(running, wanted, context);
  const [install, start] = [viberCommand('service install'), viberCommand('start')];
  context.print(context.messages.text('cli.noLogs', { install, start }));
  return EXIT.failed;
}

/** @throws {UserError} for another level or number */
function selectionIn({ values, switches }: CliContext): Selection {
  const { lines = String(USUAL_LINES), level } = values;
  const rank = (LOG_LEVELS as readonly (string | undefined)[]).indexOf(level);
  if (level !== undefined && rank < 0)
    throw new UserError(say('cli.badLevel', { level, levels: LOG_LEVELS.join(', ') }));
  const count = Number(lines);
  if (!Number.isInteger(count) || count < 0 || count > MAX_LINES)
    throw new UserError(say('cli.badLines', { lines, most: MAX_LINES }));
  return { lines: count, level: (rank + 1) * 10, isFollowing: switches.has('follow') };
}

/** Returns the supervisor if it runs a gateway on this home. */
function serviceOfHome({ home, env }: CliContext): Supervisor | undefined {
  if (process.platform !== 'linux' && process.platform !== 'darwin') return undefined;
  const supervisor = supervisorFor(process.platform, env);
  return isServiceOf(supervisor.file, home) ? supervisor : undefined;
}

/** Returns the line as it is shown, or undefined for one below the level. What isn't JSON comes from a crash. */
function shownLine(line: string, { level }: Selection, json: boolean): string | undefined {
  const fields = line.startsWith('{') ? parseJson(line) : undefined;
  if (!isRecord(fields) || typeof fields.level !== 'number')
    return json ? JSON.stringify({ msg: line }) : escapeControls(line);
  if (fields.level < level) return undefined;
  return json ? line.trimEnd() : escapeControls(prettyLine(line).trimEnd());
}

/** Spells out control characters, which could come from anybody and change what a terminal does. */
const escapeControls = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  text.replace(/[\0-\x08\x0b-\x1f\x7f-\x9f]/g, (sign) => `\\x${sign.charCodeAt(0).toString(16).padStart(2, '0')}`);

export async function printServiceLog(
  supervisor: Supervisor,
  wanted: Selection,
  { json, print }: CliContext,
): Promise<number> {
  const { isFollowing } = wanted;
  const lines = isFollowing || wanted.level === 0 ? wanted.lines : Math.min(wanted.lines * LOOKED_AT, MAX_LINES);
  const [program = '', ...args] = supervisor.logs({ logFile: supervisor.logFile, isFollowing, lines });
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  const kept: string[] = [];
  try {
    for await (const line of readline.createInterface({ input: child.stdout })) {
      const text = shownLine(line, wanted, json);
      if (text === undefined) continue;
      if (isFollowing) print(text);
      else if (kept.push(text) > wanted.lines) kept.shift();
    }
    const [code] = (await ended) as [number | null];
    for (const line of kept) print(line);
    return code === 0 ? EXIT.ok : EXIT.failed;
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    throw new UserError(say('cli.noProgram', { program }));
  }
}

interface LogPage {
  lines: { at: number; text: string }[];
  /** The number of the next line. */
  next: number;
}

const isLogPage = (answer: object): answer is LogPage =>
  'next' in answer && typeof answer.next === 'number' && 'lines' in answer && Array.isArray(answer.lines);

async function pageAfter(running: RunningGateway, after: number): Promise<LogPage> {
  const answer = await running.request('logs', { after });
  if (!isLogPage(answer)) throw new UserError(say('cli.gatewayLacks', { name: 'logs' }));
  return answer;
}

async function ofGateway(running: RunningGateway, wanted: Selection, { json, print }: CliContext): Promise<number> {
  const texts = ({ lines }: LogPage) => lines.flatMap(({ text }) => shownLine(text, wanted, json) ?? []);
  let page = await pageAfter(running, 0);
  for (const text of wanted.lines === 0 ? [] : texts(page).slice(-wanted.lines)) print(text);
  for (let misses = 0; wanted.isFollowing && misses < MAX_MISSES; ) {
    await sleep(LOOK_MS);
    const { next } = page;
    try {
      page = await pageAfter(running, next);
      // A gateway that continues as a newer version counts from zero.
      if (page.next < next) page = await pageAfter(running, 0);
      misses = 0;
      for (const text of texts(page)) print(text);
    } catch (error) {
      // It may be restarting.
      if (!(error instanceof UserError) && errorCode(error) === undefined) throw error;
      misses++;
    }
  }
  return wanted.isFollowing ? EXIT.failed : EXIT.ok;
}
