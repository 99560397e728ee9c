/** /memory: what I remember, what I would like to remember, and words in it. */
import { addToMemory, readMemory } from '../../workspace/memory/memory.ts';
import { listSuggestions, type Suggestion, takeSuggestion } from '../../workspace/memory/suggestions.ts';
import type { ButtonAction } from '../reply/buttons.ts';
import type { Command, CommandContext, CommandReply } from './command.ts';

const SHOWN = 3_000;

/** The question put under an answer, and under /memory. */
export const suggestionButtons = (suggestion: Suggestion): ButtonAction[] => [
  { label: 'Remember', command: 'memory', args: `accept ${suggestion.id}` },
  { label: 'Forget it', command: 'memory', args: `reject ${suggestion.id}` },
];

async function decide({ home, viber, principal }: CommandContext, verb: string, id: string): Promise<CommandReply> {
  const suggestion = await takeSuggestion(home, viber, id);
  if (!suggestion) return { text: `There is no pending suggestion \`${id.slice(0, 40)}\`; /memory shows what waits.` };
  if (verb === 'reject') return { text: `I will not remember: ${suggestion.text}` };
  const provenance = `${suggestion.provenance}, accepted by ${principal.name}`;
  const { section, text } = suggestion;
  await addToMemory(home, viber, { text, provenance, ...(section === undefined ? {} : { section }) });
  return { text: `I will remember: ${text}` };
}

export const memory: Command = {
  name: 'memory',
  description: 'What I remember (/memory WORDS to search)',
  argument: { name: 'words', description: 'What to look for' },
  action: 'memory',
  async run(context) {
    const { home, viber, args } = context;
    const [verb = '', ...rest] = args.trim().split(/\s+/);
    if (verb === 'accept' || verb === 'reject') return decide(context, verb, rest.join(' '));
    const text = (await readMemory(home, viber)) ?? '';
    if (verb !== '') {
      const words = args
        .toLowerCase()
        .replace(/^search\s+/, '')
        .split(/\s+/)
        .filter(Boolean);
      const lines = text.split('\n').filter((line) => words.every((word) => line.toLowerCase().includes(word)));
      return { text: lines.length > 0 ? lines.slice(0, 30).join('\n') : 'Nothing in my memory has these words.' };
    }
    const pending = await listSuggestions(home, viber);
    const shown = text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
    const waiting = pending.slice(0, 5).map((suggestion) => `- ${suggestion.text}`);
    const question = waiting.length > 0 ? `\n\nMay I remember this?\n${waiting.join('\n')}` : '';
    return {
      text: `${shown.trim() || 'My memory is empty.'}${question}`,
      buttons: pending.slice(0, 5).map(suggestionButtons),
    };
  },
};
