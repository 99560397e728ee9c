/**
 * `remember`: adds a fact to MEMORY.md. A person approves the exact words first, unless the configuration says
 * otherwise (promise 40).
 */
import { z } from 'zod';
import { UserError } from '../../../errors.ts';
import { defineTool } from '../../../runtime/contract/tool.ts';
import { toPeopleUnlessAsked } from '../../../runtime/tools/offered.ts';
import type { ToolRun } from '../../../runtime/tools/run.ts';
import { suggestFact } from './keep.ts';

const MAX_TEXT = 2_000;

const input = z.object({
  text: z.string(),
  section: z.string().describe('heading of MEMORY.md').exactOptional(),
  replaces: z.string().describe('words of the line in memory that this corrects').exactOptional(),
});

export const remember = defineTool({
  name: 'remember',
  describe: 'Keep a lasting fact or preference in long-term memory. pending: the owner is asked first.',
  input,
  effect: 'idempotent',
  doing: 'doing.memory',
  ability: { line: 'memory', words: 'remember for good (remember)' },
  offered: toPeopleUnlessAsked,
  ownWords: true,
  isAside: true,
  asks: ({ text }, _run: ToolRun, { messages, plain }) => ({
    text: messages.text('consent.keepInMind', { text: plain(text, 400) }),
  }),
  async execute({ text, section, replaces }, run) {
    const words = text.trim();
    if (words === '') throw new UserError('There is nothing to remember.');
    if (words.length > MAX_TEXT) throw new UserError(`That is too long to remember: at most ${MAX_TEXT} characters.`);
    const suggestion = await suggestFact(run.scope, { section, text: words, replaces });
    if (!suggestion) return { status: 'saved' };
    run.made?.pending.push(suggestion);
    return { status: 'pending', id: suggestion.id };
  },
});
