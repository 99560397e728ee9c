/**
 * Tells a person that their voice message couldn't be transcribed, and what to do next; owners also read what to set.
 */
import type { Principal } from '../../access/principal.ts';
import { messagesIn } from '../../messages/messages.ts';
import type { ButtonAction } from '../contract/buttons.ts';
import type { Answer } from '../contract/outcome.ts';
import type { Unreadable } from '../contract/reading.ts';
import { summarise } from './render-answer.ts';

/** Any one of these is enough. */
const KEYS = ['OPENAI_API_KEY', 'GROQ_API_KEY', 'DEEPGRAM_API_KEY'];

export function unheardVoice(
  { reason, message, setting }: Unreadable,
  { role }: Principal,
  language: string | undefined,
): Answer {
  const messages = messagesIn(language);
  const isOwner = role === 'owner';
  const text =
    reason === 'unset' && isOwner
      ? messages.text('voice.unsetOwner', { keys: messages.list(KEYS, 'or') })
      : reason === 'key' && isOwner
        ? messages.text('voice.keyOwner', { reason: message, setting: setting ?? 'voice.model' })
        : messages.text(`voice.${reason}`);
  const again: ButtonAction = { label: messages.text('common.retry'), say: messages.text('voice.again') };
  const buttons = reason === 'busy' || reason === 'key' ? [[again]] : [];
  return { state: 'error', text, summary: summarise(text), artifactRefs: [], error: `unheard: ${reason}`, buttons };
}
