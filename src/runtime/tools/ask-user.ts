/** `ask_user`: asks the person one question. It ends the turn; the answer becomes the call's result. */
import { z } from 'zod';
import { UserError } from '../../errors.ts';
import { defineTool } from '../contract/tool.ts';
import { unlessAlone } from './offered.ts';

const MAX_QUESTION = 2_000;
const MAX_OPTION = 200;
const MAX_OPTIONS = 8;

export const askUserInput = z.object({
  question: z.string(),
  options: z.array(z.string()).exactOptional(),
  recommended: z.number().int().describe('index of the option you would choose, from 0').exactOptional(),
});

export type AskUser = z.infer<typeof askUserInput>;

/** @throws UserError for an invalid question */
function check({ question, options = [], recommended }: AskUser): void {
  if (question.trim() === '') throw new UserError('The question is empty.');
  if (question.length > MAX_QUESTION)
    throw new UserError(`The question is too long: at most ${MAX_QUESTION} characters.`);
  if (options.length > MAX_OPTIONS) throw new UserError(`At most ${MAX_OPTIONS} options.`);
  if (options.some((option) => option.trim() === '' || option.length > MAX_OPTION))
    throw new UserError(`An option has 1 to ${MAX_OPTION} characters.`);
  if (new Set(options.map((option) => option.trim())).size < options.length)
    throw new UserError('Two options are the same.');
  if (recommended !== undefined && options[recommended] === undefined)
    throw new UserError('recommended is the index of one of the options, from 0.');
}

export const askUser = defineTool({
  name: 'ask_user',
  describe:
    'Ask the person one question you cannot answer yourself and wait; options become buttons. Not for consent: tools ask for it.',
  doing: 'doing.askingYou',
  input: askUserInput,
  effect: 'read',
  consent: 'never',
  offered: unlessAlone,
  ownWords: true,
  isQuestion: true,
  asksBefore(input) {
    check(input);
    return true;
  },
  async execute() {
    // Never runs: the answer replaces its result.
    throw new UserError('The question was not asked.');
  },
});
