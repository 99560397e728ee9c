/** Finds out when everything that was said in a conversation of this machine's own channels has been answered. */
import { setTimeout as pause } from 'node:timers/promises';
import { type Address, conversationKey } from '../channels/channel.ts';
import type { LaneLook } from '../engine/engine.ts';
import { PromisedAnswers } from '../runtime/commands/promised.ts';
import type { Entry } from '../runtime/contract/entry.ts';
import { withAccount } from '../runtime/conversations/asked-places.ts';
import type { AppGateway } from './contract.ts';

/** The shortest and the longest pause between two checks, in ms. */
const FIRST_MS = 10;
const MAX_MS = 250;
/** With several processes, an answer belongs to none for a moment until one of them claims it, in ms. */
const CLAIM_MS = 1_000;
/** The share of a wait that may be spent on listing the whole queue, which may contain ten thousand messages. */
const LISTING_SHARE = 0.05;

/**
 * Returns a function that resolves when the conversation has no unfinished message, no promised answer and no answer
 * being sent, or when the signal aborts. It never rejects. A run that waits for a person counts as finished.
 */
export function openSettled({ config, engine, delivery, log }: AppGateway) {
  const promised = new PromisedAnswers(engine.state);
  const isHere = (address: Address) => {
    const [key, written] = [conversationKey(address), withAccount(address)];
    return ({ message, job }: Entry) =>
      job ? job.deliver.includes(written) : conversationKey(message.answerAt ?? message.address) === key;
  };
  const isSending = async (address: Address) => (await promised.isOwedAt(address)) || delivery.isBusy(address);
  const looksAt = (address: Address): (() => Promise<boolean>) => {
    const isOf = isHere(address);
    /** Where the last listing found something unfinished. */
    let lane: string | undefined;
    let listsAgainAt = 0;
    return async () => {
      if (await isSending(address)) return false;
      if (lane !== undefined && performance.now() < listsAgainAt && !isIdle(await engine.queue.look(lane)))
        return false;
      const began = performance.now();
      lane = (await engine.queue.unfinished()).find(({ message }) => isOf(message))?.lane;
      const tookMs = performance.now() - began;
      listsAgainAt = began + tookMs / LISTING_SHARE;
      // The order matters: an answer is put into the outbox before its message or its promise ends.
      return lane === undefined && !(await isSending(address));
    };
  };
  const isSure = config.engine.kind === 'local';
  return async (address: Address, signal?: AbortSignal): Promise<void> => {
    const isSettled = looksAt(address);
    let wasSettled = isSure;
    for (let ms = FIRST_MS; !signal?.aborted; ms = Math.min(MAX_MS, ms * 1.5)) {
      const isOver = await isSettled().catch((err: unknown) => {
        log.warn({ err }, "unfinished work can't be read");
        return false;
      });
      if (isOver && wasSettled) return;
      wasSettled = isSure || isOver;
      await pause(isOver ? CLAIM_MS : ms);
    }
  };
}

const isIdle = ({ depth, busy }: LaneLook): boolean => depth === 0 && !busy;
