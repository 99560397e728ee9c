/** The outcome that the messages of a question show once it is decided. */
import { cutText } from '../../lib/text.ts';
import { messagesIn, say, type Wording } from '../../messages/messages.ts';
import type { Decision } from '../contract/approval.ts';
import { spellInvisible } from './show.ts';

const MAX_ANSWER = 200;

/** The person who decided, and when; `zone` is the time zone for display. */
export interface Decider {
  name: string;
  at: Date;
  zone?: string | undefined;
}

export const byAt = ({ name, at, zone }: Decider): { by: string; time: string } => ({
  by: name,
  time: messagesIn(undefined).time(at, zone),
});

export function outcomeOf({ verdict, by, name, at, answer = '', place }: Decision, zone?: string): Wording {
  const when = byAt({ name: name || by, at: new Date(at), zone });
  const { by: who, time } = when;
  const chosen = cutText(spellInvisible(answer), MAX_ANSWER);
  switch (verdict) {
    case 'approve':
      return say(place ? 'outcomes.approvedOnBoard' : 'outcomes.approved', when);
    case 'always':
      return say(place ? 'outcomes.alwaysOnBoard' : 'outcomes.always', when);
    case 'deny':
      return say(place ? 'outcomes.deniedOnBoard' : 'outcomes.denied', when);
    case 'answer':
      return by === ''
        ? say('outcomes.wentOn', { answer: chosen, time })
        : say(place ? 'outcomes.answeredOnBoard' : 'outcomes.answered', { by: who, answer: chosen, time });
    case 'another':
      return say('outcomes.another', { by: who, answer: chosen, time });
    case 'expired':
      return say('outcomes.expired');
    case 'wrote':
      return say('outcomes.wrote', { by: who });
    case 'stop':
      return say('outcomes.stopped');
  }
}
