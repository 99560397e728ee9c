/** Measures one program from the outside, with one emulated Telegram. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Llm } from '../test/emulators/llm.ts';
import type { Telegram } from '../test/emulators/telegram.ts';
import type { Started } from './processes.ts';

/** A program, with its platform and model. */
export interface Side {
  name: string;
  telegram: Telegram;
  llm: Llm;
  start(): Started;
}

export const quantile = (values: readonly number[], q: number): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
};

/** Milliseconds from the update to the reply, one message at a time. */
export async function latencies(side: Side, chat: number, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < count; n++) {
    const text = `ping ${chat} ${times.length} ${n}`;
    const reply = nextFrom(side.telegram, chat);
    const began = performance.now();
    side.telegram.say(chat, text);
    await reply;
    times.push(performance.now() - began);
  }
  return times;
}

function nextFrom(telegram: Telegram, chat: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no reply in chat ${chat}`)), 20_000);
    const stop = telegram.onMessage((message) => {
      if (message.from !== 'bot' || message.chat !== chat) return;
      clearTimeout(timer);
      stop();
      resolve(message.text);
    });
  });
}

export interface Throughput {
  perSecond: number;
  /** The number of replies that came before one to an earlier message of the same chat. */
  inversions: number;
}

/**
 * Sends all messages at once; done when every chat has all its replies. The model repeats its input, which shows the
 * order.
 */
export async function throughput(side: Side, firstChat: number, chats: number, each: number): Promise<Throughput> {
  const ids = Array.from({ length: chats }, (_, n) => firstChat + n);
  const wanted = chats * each;
  const last = new Map<number, number>();
  let got = 0;
  let inversions = 0;
  const done = Promise.withResolvers<void>();
  const stop = side.telegram.onMessage((message) => {
    if (message.from !== 'bot' || message.chat < firstChat) return;
    const n = Number(/(\d+)$/.exec(message.text)?.[1] ?? 0);
    if (n < (last.get(message.chat) ?? 0)) inversions++;
    last.set(message.chat, n);
    if (++got === wanted) done.resolve();
  });
  const late = setTimeout(
    () => done.reject(new Error(`${side.name}: ${got} of ${wanted} replies within 60 s`)),
    60_000,
  );
  const began = performance.now();
  side.telegram.burst(ids, each, 'n');
  await done.promise;
  const seconds = (performance.now() - began) / 1000;
  clearTimeout(late);
  stop();
  return { perSecond: wanted / seconds, inversions };
}

/** Milliseconds from the start of the process to the first answer; the message is already pending. */
export async function coldStart(side: Side, chat: number): Promise<number> {
  side.telegram.say(chat, 'are you there?');
  const reply = nextFrom(side.telegram, chat);
  const began = performance.now();
  const program = side.start();
  await Promise.race([reply, program.exited.then(() => Promise.reject(new Error(program.output())))]);
  const ms = performance.now() - began;
  await program.kill();
  return ms;
}

/** Megabytes, after a quiet moment. */
export async function idleMemory(program: Started): Promise<number> {
  await sleep(3000);
  return program.memory().now / 1e6;
}
