/** `viber chat`: a conversation in this terminal, with the gateway that runs or one of its own. */
import readline from 'node:readline';
import { toolLine } from '../channels/terminal/render.ts';
import { UserError } from '../errors.ts';
import { ask, withGateway } from './ask.ts';
import { type CliContext, EXIT } from './command.ts';

export async function run(context: CliContext): Promise<number> {
  await withGateway(context, async (socket) => {
    const lines = readline.createInterface({
      input: process.stdin,
      output: process.stdin.isTTY ? process.stdout : undefined,
      prompt: 'you> ',
    });
    lines.prompt();
    for await (const line of lines) {
      if (line.trim() !== '') await answer(context, socket, line);
      lines.prompt();
    }
  });
  return EXIT.ok;
}

async function answer(context: CliContext, socket: string, line: string): Promise<void> {
  try {
    const reply = await ask(socket, 'chat', line, (part) => {
      if (part.type === 'event' && part.event.type === 'tool-call')
        context.print(toolLine(part.event.tool, part.event.args));
    });
    context.print(`viber> ${reply.text}`);
    for (const file of reply.files) context.print(`  file: ${file.path}`);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    context.print(error.message);
  }
}
