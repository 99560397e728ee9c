/** Finds the unanswered questions in a conversation of this machine's own channels. */
import type { Address, PendingQuestion } from '../channels/channel.ts';
import { askedAt } from '../runtime/approvals/request.ts';
import { questionId } from '../runtime/contract/buttons.ts';
import type { AppGateway } from './contract.ts';

/**
 * Returns a function that lists them, oldest first. It lists only those asked before the call, because later ones are
 * sent.
 */
export function openPending({ consent: { questions, approvals } }: AppGateway) {
  return async (address: Address): Promise<PendingQuestion[]> => {
    const now = Date.now();
    const asking = (await questions.here(address)).filter(({ at = 0 }) => at <= now);
    const shown = new Set(asking.flatMap(({ buttons }) => buttons.flat().map(({ decides }) => decides)));
    // A question without options has no buttons, so no message is recorded as asking it.
    const open = approvals
      .all()
      .filter(({ id, kind }) => kind === 'question' && !shown.has(questionId.approval(id)))
      .filter((request) => askedAt(request, address) && Date.parse(request.askedAt) <= now);
    return [
      ...asking.map(({ text, buttons, messageId, at = 0 }) => ({ at, question: { text, buttons, messageId } })),
      ...open.map(({ sentence = '', askedAt: at }) => ({
        at: Date.parse(at),
        question: { text: sentence, buttons: [] },
      })),
    ]
      .sort((a, b) => a.at - b.at)
      .map(({ question }) => question);
  };
}
