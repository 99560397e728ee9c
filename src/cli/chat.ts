/** `viber chat`: a conversation in this terminal, with the gateway that runs or one of its own. */
import readline from 'node:readline';
import { toolLine } from '../channels/terminal/render.ts';
import { UserError } from '../errors.ts';
import { ask, withGateway } from './ask.ts';
import { type CliContext, EXIT } from './command.ts';

/** What comes through a pipe is answered line by line; one that was not taken in makes the command fail at its end. */
export async function run(context: CliContext): Promise<number> {
  const isTyped = process.stdin.isTTY === true;
  let isWhole = true;
  await withGateway(context, async (socket) => {
    const lines = readline.createInterface({
      input: process.stdin,
      output: isTyped ? process.stdout : undefined,
      prompt: 'you> ',
    });
    let isOpen = true;
    lines.on('close', () => {
      isOpen = false;
    });
    // The input may end while an answer is on its way.
    const prompt = () => {
      if (isTyped && isOpen) lines.prompt();
    };
    prompt();
    for await (const line of lines) {
      if (line.trim() !== '' && !(await answer(context, socket, line))) isWhole = false;
      prompt();
    }
  });
  return isWhole || isTyped ? EXIT.ok : EXIT.failed;
}

/** False when the line was not taken in; the reason has been said. */
async function answer(context: CliContext, socket: string, line: string): Promise<boolean> {
  try {
    const reply = await ask(socket, 'chat', line, (part) => {
      if (part.type === 'event' && part.event.type === 'tool-call')
        context.print(toolLine(part.event.tool, part.event.args));
    });
    context.print(`viber> ${reply.text}`);
    for (const file of reply.files) context.print(`  file: ${file.path}`);
    return true;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return false;
  }
}
