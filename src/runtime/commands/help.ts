/** /help: every command with its description. */
import type { Command } from './command.ts';

export const help: Command = {
  name: 'help',
  description: 'What I can do',
  action: 'chat',
  async run({ list }) {
    const lines = list().map(({ name, description }) => `- /${name}: ${description}`);
    return {
      text: `Write to me as you would to a colleague; send files if they help. I keep a plan, a memory and files for each task.\n\n${lines.join('\n')}`,
    };
  },
};
