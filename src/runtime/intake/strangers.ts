/** Handles people without access: decides what they read, if anything, and what the owners are asked. */
import type { Ownership } from '../../access/pairing.ts';
import { identityText, type Principal } from '../../access/principal.ts';
import type { InboundMessage, InboundOutcome } from '../../channels/channel.ts';
import { viberCommand } from '../../lib/invocation.ts';
import { type Messages, messagesFor, type Text } from '../../messages/messages.ts';
import { type Issuer, redeemAnswer } from '../commands/people/link.ts';
import { shareTask } from '../conversations/conversations.ts';
import type { Gateway } from '../run/gateway.ts';
import type { Decision, Facts } from './decide.ts';
import { replyOnce } from './reply.ts';

export async function turnAway(
  decision: Extract<Decision, { kind: 'refuse' | 'pair' | 'redeem' }>,
  { message, principal }: Facts,
  gw: Gateway,
): Promise<InboundOutcome> {
  const { pairing, links, owners } = gw.people;
  const { channel } = message.address;
  const { reason } = decision;
  gw.features.metrics.count('viber_inbound_total', { channel, outcome: reason });
  gw.log.debug({ channel, reason }, 'event refused');
  if (decision.kind === 'redeem') {
    const onLinked = (issuer: Issuer) => tellLinked(principal, issuer, gw);
    const answer = await redeemAnswer(links, decision.code, principal, onLinked);
    if (answer !== undefined) {
      replyOnce(message, messagesFor(message).said(answer), gw);
      return 'answered';
    }
  }
  if (decision.kind === 'refuse' || (decision.kind === 'redeem' && !decision.pairs)) return 'refused';
  // Undefined if they were told within the hour, or too many requests are pending.
  const code = pairing.request(
    {
      identity: identityText(principal),
      channel,
      name: principal.name,
      address: message.address,
      ...(isKept(message) && { message }),
    },
    Date.now(),
  );
  if (code === undefined) return 'refused';
  replyOnce(message, firstWords(messagesFor(message), code, pairing.ownership()), gw);
  void owners.ask(code, principal);
  return 'answered';
}

/**
 * Kept for a later answer: words, files and commands, but not the command that opens the chat, and no code of another
 * account.
 */
function isKept({ kind, command }: InboundMessage): boolean {
  return (kind === 'message' || kind === 'command') && command?.name !== 'start' && command?.name !== 'link';
}

/** Without an owner to ask, the command works where this process was started. */
function firstWords(messages: Messages, code: string, ownership: Ownership): Text {
  if (ownership === 'somebody') return messages.text('contact.stranger', { code });
  if (ownership === 'nobody')
    return messages.text('contact.nobodys', { command: viberCommand(`pair approve ${code}`) });
  return messages.text('contact.lost', { command: viberCommand(`pair approve ${code} owner`) });
}

/** Their two accounts then share a task. */
function tellLinked(principal: Principal, { person, address, note, isNew }: Issuer, gw: Gateway): void {
  const id = `linked-${identityText(principal).replace(/[^\w-]/g, '_')}-${Date.now()}`;
  const told = gw.delivery.add({ id, address, text: gw.say(address).said(note), files: [] }, id);
  const shared = isNew && shareTask(gw.tasks.conversations, person, address);
  Promise.all([shared, told]).catch((error: unknown) =>
    gw.log.error({ err: error }, 'could not tell a person about their new link'),
  );
}
