/** `viber chat`: a conversation in this terminal, with the running gateway or a temporary one. */
import readline from 'node:readline';
import type { LocalLine } from '../channels/local/adapter.ts';
import { Buttons, notPressed } from '../channels/terminal/buttons.ts';
import { LEAVE } from '../channels/terminal/leave.ts';
import { lookOf } from '../channels/terminal/look.ts';
import { answerLines } from '../channels/terminal/render.ts';
import { safeLine } from '../channels/terminal/safe.ts';
import { UserError } from '../errors.ts';
import { type CliContext, EXIT } from '../runtime/contract/cli.ts';
import { type ChatTarget, namedViber, sendAndWait, withGateway } from './ask.ts';

export async function run(context: CliContext): Promise<number> {
  const viber = await namedViber(context);
  // Separate names: conversations with two vibers may be open at the same time.
  const chat = viber === undefined ? 'chat' : `chat-${viber}`;
  if (!process.stdin.isTTY || !process.stdout.isTTY) return piped(context, { chat, viber });
  const { talkOver } = await import('./talk.ts');
  return withGateway(context, (socket) => talkOver(socket, { chat, viber }, context));
}

/** Answers each line of the pipe. The command fails at its end if a line was refused. */
async function piped(context: CliContext, to: ChatTarget): Promise<number> {
  let isWhole = true;
  const buttons = new Buttons();
  await withGateway(context, async (socket) => {
    for await (const line of readline.createInterface({ input: process.stdin })) {
      if (LEAVE.test(line.trim())) break;
      if (line.trim() !== '' && !(await printAnswer(context, socket, line, to, buttons))) isWhole = false;
    }
    // The writer may keep the pipe open; don't wait for it after "exit".
    process.stdin.destroy();
  });
  return isWhole ? EXIT.ok : EXIT.failed;
}

/**
 * Prints the answers, and nothing else, to standard output. Returns false if the line was refused, after printing the
 * reason.
 */
async function printAnswer(
  { print, env, messages }: CliContext,
  socket: string,
  line: string,
  to: ChatTarget,
  buttons: Buttons,
): Promise<boolean> {
  const show = async (part: LocalLine) => {
    if (part.type === 'event' && part.event.type === 'tool-call') process.stderr.write(`  … ${safeLine(part.words)}\n`);
    if (part.type !== 'answer') return;
    const { text, files, buttons: rows = [] } = part;
    const shown = { text, files, buttons: buttons.number(rows), isRest: false };
    for (const each of await answerLines(shown, lookOf(process.stdout, env), process.stdout.columns || 80, ''))
      print(each);
  };
  try {
    const { chat, viber } = to;
    const found = buttons.find(line.trim());
    if (found && found.kind !== 'press') throw new UserError(notPressed(found));
    const said = found ? { button: found.button.id } : { text: line, viber };
    await sendAndWait(socket, { chat, ...said }, show);
    to.viber = undefined;
    return true;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    process.stderr.write(`${messages.said(error.said)}\n`);
    return false;
  }
}
