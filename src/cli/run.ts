/** `viber run "GOAL"`: one task from the shell; progress on standard error, the answer on standard output. */
import { randomUUID } from 'node:crypto';
import type { LocalLine } from '../channels/local/adapter.ts';
import { type Look, lookOf } from '../channels/terminal/look.ts';
import { answerLines } from '../channels/terminal/render.ts';
import { safe, safeLine } from '../channels/terminal/safe.ts';
import type { ShownFile } from '../channels/terminal/seam.ts';
import { ask, namedViber, withGateway } from './ask.ts';
import { type CliContext, EXIT } from './command.ts';

/** Fails where the work did, so that a script that goes on has what it asked for. */
export async function run(context: CliContext): Promise<number> {
  const goal = context.args.join(' ').trim();
  const viber = await namedViber(context);
  const show = (line: LocalLine) => {
    if (line.type !== 'event' || line.event.type !== 'tool-call' || context.json) return;
    process.stderr.write(`  … ${safeLine(line.words)}\n`);
  };
  const { text, files, ended } = await withGateway(context, (socket) =>
    ask(socket, `run-${randomUUID()}`, goal, show, viber),
  );
  if (context.json) context.print(JSON.stringify({ text, files, state: ended ?? 'completed' }));
  else for (const line of await linesOf(text, files, lookOf(process.stdout, context.env))) context.print(line);
  return ended === undefined ? EXIT.ok : EXIT.failed;
}

/** Rendered where somebody looks at it, as it was written for programs. */
async function linesOf(text: string, files: readonly ShownFile[], look: Look): Promise<string[]> {
  if (!look.isRendered) return [safe(text), ...files.map((file) => `file: ${safeLine(file.path)}`)];
  return answerLines({ text, files, buttons: [], isRest: false }, look, process.stdout.columns || 80, '');
}
