/** `remember`: something for MEMORY.md. A person accepts the exact words first, unless the configuration says otherwise (T17). */
import { z } from 'zod';
import { UserError } from '../../errors.ts';
import { addToMemory } from '../../workspace/memory/memory.ts';
import { addSuggestion } from '../../workspace/memory/suggestions.ts';
import { defineTool, type ToolScope } from './scope.ts';

const MAX_TEXT = 2_000;

const input = z.object({ text: z.string(), section: z.string().describe('heading of MEMORY.md').exactOptional() });

export const remember = ({ home, viber, autoAcceptMemory, provenance, onSuggestion }: ToolScope) =>
  defineTool({
    name: 'remember',
    description: 'Keep a lasting fact or preference in long-term memory. pending: the person is asked first.',
    input,
    effect: 'idempotent',
    async execute({ text, section }) {
      const fact = { text: text.trim(), section, provenance };
      if (fact.text === '') throw new UserError('There is nothing to remember.');
      if (fact.text.length > MAX_TEXT)
        throw new UserError(`That is too long to remember: at most ${MAX_TEXT} characters.`);
      if (autoAcceptMemory) {
        await addToMemory(home, viber, fact);
        return { status: 'saved' };
      }
      const suggestion = await addSuggestion(home, viber, fact);
      onSuggestion?.(suggestion);
      return { status: 'pending', id: suggestion.id };
    },
  });
