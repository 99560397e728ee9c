/** `viber run "GOAL"`: runs one task from the shell; progress goes to standard error, the answer to standard output. */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { SuppliedContext } from '../channels/channel.ts';
import type { LocalLine } from '../channels/local/adapter.ts';
import { type Look, lookOf } from '../channels/terminal/look.ts';
import { answerLines } from '../channels/terminal/render.ts';
import { safe, safeLine } from '../channels/terminal/safe.ts';
import type { ShownFile } from '../channels/terminal/seam.ts';
import { errorMessage, UserError } from '../errors.ts';
import { parseJson } from '../lib/json.ts';
import { say } from '../messages/messages.ts';
import { type CliContext, EXIT } from '../runtime/contract/cli.ts';
import { planSchema } from '../runtime/contract/protocol.ts';
import { namedViber, sendAndWait, withGateway } from './ask.ts';

/** Fails if the task failed, so that a script stops there. */
export async function run(context: CliContext): Promise<number> {
  const goal = context.args.join(' ').trim();
  const viber = await namedViber(context);
  const given = await givenBy(context.values);
  const show = (line: LocalLine) => {
    if (line.type !== 'event' || line.event.type !== 'tool-call' || context.json) return;
    process.stderr.write(`  … ${safeLine(line.words)}\n`);
  };
  const { text, files, ended, result } = await withGateway(context, (socket) =>
    sendAndWait(socket, { chat: `run-${randomUUID()}`, text: goal, viber, given }, show),
  );
  if (context.json) context.print(JSON.stringify({ text, files, state: ended ?? 'completed', ...result }));
  else for (const line of await answerText(text, files, lookOf(process.stdout, context.env))) context.print(line);
  return ended === undefined ? EXIT.ok : EXIT.failed;
}

/** @throws {UserError} for a file that can't be read or is not a plan */
async function givenBy({ plan, memory }: CliContext['values']): Promise<SuppliedContext | undefined> {
  if (plan === undefined && memory === undefined) return undefined;
  return {
    ...(plan !== undefined && { plan: planOf(await readPlanFile(plan), plan) }),
    ...(memory !== undefined && { memory: await readPlanFile(memory) }),
  };
}

/** Parses JSON if the text begins with a brace, and Markdown otherwise. */
function planOf(text: string, file: string): NonNullable<SuppliedContext['plan']> {
  if (!text.trimStart().startsWith('{')) return text;
  const parsed = planSchema.safeParse(parseJson(text));
  if (!parsed.success)
    throw new UserError(say('cli.notAPlan', { file, form: '{"goal", "steps": [{"id", "title", "status"}]}' }));
  return parsed.data;
}

async function readPlanFile(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UserError(say('cli.unreadable', { file, why: errorMessage(error) }));
  }
}

/** Renders the answer for a terminal, and leaves it unchanged for programs. */
export async function answerText(text: string, files: readonly ShownFile[], look: Look): Promise<string[]> {
  if (!look.isRendered) return [safe(text), ...files.map((file) => `file: ${safeLine(file.path)}`)];
  return answerLines({ text, files, buttons: [], isRest: false }, look, process.stdout.columns || 80, '');
}
