/** `viber chat`: a conversation in this terminal, with the gateway that runs or one of its own. */
import readline from 'node:readline';
import { lookOf } from '../channels/terminal/look.ts';
import { answerLines } from '../channels/terminal/render.ts';
import { safeLine } from '../channels/terminal/safe.ts';
import { UserError } from '../errors.ts';
import { ask, withGateway } from './ask.ts';
import { type CliContext, EXIT } from './command.ts';

const CHAT = 'chat';

export async function run(context: CliContext): Promise<number> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return piped(context);
  const { talkOver } = await import('./talk.ts');
  return withGateway(context, (socket) => talkOver(socket, CHAT, context));
}

/** What comes through a pipe is answered line by line; one that was not taken in makes the command fail at its end. */
async function piped(context: CliContext): Promise<number> {
  let isWhole = true;
  await withGateway(context, async (socket) => {
    for await (const line of readline.createInterface({ input: process.stdin }))
      if (line.trim() !== '' && !(await answer(context, socket, line))) isWhole = false;
  });
  return isWhole ? EXIT.ok : EXIT.failed;
}

/** Nothing but the answer goes to standard output. False when the line was not taken in; the reason has been said. */
async function answer({ print, env }: CliContext, socket: string, line: string): Promise<boolean> {
  try {
    const { text, files } = await ask(socket, CHAT, line, (part) => {
      if (part.type === 'event' && part.event.type === 'tool-call')
        process.stderr.write(`  … ${safeLine(part.words)}\n`);
    });
    const shown = { text, files, buttons: [], isRest: false };
    for (const each of await answerLines(shown, lookOf(process.stdout, env), process.stdout.columns ?? 80, ''))
      print(each);
    return true;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return false;
  }
}
