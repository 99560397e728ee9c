/** What the page suggests while no language model is connected is what the built-in model understands, in every language. */
import { expect, test } from 'vitest';
import { words as german } from '../../src/board/ui/words/de.ts';
import { english } from '../../src/board/ui/words/en.ts';
import { words as spanish } from '../../src/board/ui/words/es.ts';
import { parseRequests } from '../../src/features/offline/requests.ts';

const ideas = [english, german, spanish].flatMap(({ now }) => now.noModelIdeas);

test.each(ideas.filter((idea) => !idea.startsWith('/')))('%s', (idea) => {
  expect(parseRequests(idea)).toEqual([
    expect.objectContaining({ kind: expect.stringMatching(/^(plan|write|remember)$/) }),
  ]);
});
