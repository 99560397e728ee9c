/** `viber run "GOAL"`: one task from the shell; progress on standard error, the answer on standard output. */
import { randomUUID } from 'node:crypto';
import type { LocalLine } from '../channels/local/adapter.ts';
import { safe, safeLine } from '../channels/terminal/safe.ts';
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
  else {
    context.print(safe(text));
    for (const file of files) context.print(`file: ${safeLine(file.path)}`);
  }
  return ended === undefined ? EXIT.ok : EXIT.failed;
}
