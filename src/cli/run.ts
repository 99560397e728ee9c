/** `viber run "GOAL"`: one task from the shell; progress on standard error, the answer on standard output. */
import { randomUUID } from 'node:crypto';
import { toolLine } from '../channels/terminal/render.ts';
import { UserError } from '../errors.ts';
import { ask, withGateway } from './ask.ts';
import { type CliContext, EXIT } from './command.ts';

export async function run(context: CliContext): Promise<number> {
  const goal = context.args.join(' ').trim();
  if (goal === '') throw new UserError('usage: viber run "GOAL"');
  const answer = await withGateway(context, (socket) =>
    ask(socket, `run-${randomUUID()}`, goal, (line) => {
      if (line.type !== 'event' || line.event.type !== 'tool-call' || context.json) return;
      process.stderr.write(`${toolLine(line.event.tool, line.event.args)}\n`);
    }),
  );
  if (context.json) context.print(JSON.stringify({ text: answer.text, files: answer.files }));
  else {
    context.print(answer.text);
    for (const file of answer.files) context.print(`file: ${file.path}`);
  }
  return EXIT.ok;
}
