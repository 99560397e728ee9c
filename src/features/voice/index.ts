/** Voice: transcribes recordings, and may speak the answer to a voice message. */
import type { Feature } from '../gateway.ts';
import { spokenAnswer } from './speak.ts';

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
    when: { state: 'completed', isSpoken: true },
    async add(outcome, turn, gw) {
      const spoken = await spokenAnswer(outcome, turn, gw);
      return spoken ? { ...outcome, files: [...(outcome.files ?? []), spoken] } : outcome;
    },
  },
};
