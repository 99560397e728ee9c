/** Voice: transcribes recordings, and may speak the answer to a voice message. */
import type { EndedTurn } from '../../runtime/contract/feature.ts';
import type { Feature } from '../gateway.ts';
import { spokenAnswer } from './speak.ts';

/** Returns true for a voice message without text. */
const wasSpoken = (item: EndedTurn['items'][number] | undefined): boolean =>
  item?.message.message.text === '' && item.message.message.files.some(({ kind }) => kind === 'voice');

export const voice: Feature = {
  name: 'voice',
  reads: {
    kinds: ['sound'],
    async read(file, by, gw) {
      const { hear, hearingOf } = await import('./hear.ts');
      return hear(file, by, hearingOf(gw));
    },
  },
  answers: {
    when: ({ state }, { items }) => state === 'completed' && wasSpoken(items.at(-1)),
    async add(outcome, turn, gw) {
      const spoken = await spokenAnswer(outcome, turn, gw);
      return spoken ? { ...outcome, files: [...(outcome.files ?? []), spoken] } : outcome;
    },
  },
};
