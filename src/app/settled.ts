/** Finds out when everything said in a conversation of this machine's own channels has been answered. */
import { setTimeout as pause } from 'node:timers/promises';
import { type Address, conversationKey } from '../channels/channel.ts';
import { PromisedAnswers } from '../runtime/commands/promised.ts';
import type { Entry } from '../runtime/contract/entry.ts';
import { withAccount } from '../runtime/conversations/asked-places.ts';
import type { AppGateway } from './contract.ts';

/** The shortest and the longest pause between two looks, in ms. */
const FIRST_MS = 10;
const MAX_MS = 250;
/** With several processes, an answer is nobody's for a moment until one of them claims it, in ms. */
const CLAIM_MS = 1_000;

/**
 * Resolves when nothing that was accepted in the conversation is unfinished, nothing is promised there, and nothing is
 * being sent there; or when the signal aborts. Never rejects. A run that waits for a person counts as finished.
 */
export function openSettled({ config, engine, delivery, log }: AppGateway) {
  const promised = new PromisedAnswers(engine.state);
  const isSettled = async (address: Address): Promise<boolean> => {
    const key = conversationKey(address);
    const written = withAccount(address);
    const isHere = ({ message, job }: Entry) =>
      job ? job.deliver.includes(written) : conversationKey(message.answerAt ?? message.address) === key;
    // The order matters: an answer is put into the outbox before its message or its promise ends.
    if ((await engine.queue.unfinished()).some(({ message }) => isHere(message))) return false;
    return !(await promised.isOwedAt(address)) && !delivery.isBusy(address);
  };
  const isSure = config.engine.kind === 'local';
  return async (address: Address, signal?: AbortSignal): Promise<void> => {
    let wasSettled = isSure;
    for (let ms = FIRST_MS; !signal?.aborted; ms = Math.min(MAX_MS, ms * 1.5)) {
      const isOver = await isSettled(address).catch((err: unknown) => {
        log.warn({ err }, 'what is unfinished cannot be read');
        return false;
      });
      if (isOver && wasSettled) return;
      wasSettled = isSure || isOver;
      await pause(isOver ? CLAIM_MS : ms);
    }
  };
}
