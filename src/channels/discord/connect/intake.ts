/**
 * The order of what is taken in. Invariant: the events of one chat are handed on in the order they are given here or, for
 * what is put in front while the chat is held, before those that were held. Chats never wait for each other.
 */
export interface Intake {
  /** Runs now, in the caller's turn of the loop, unless everything or this chat is held. */
  take(chat: string, job: () => void): void;
  /** Everything waits until `resume`. */
  pause(): void;
  resume(): void;
  isPaused(): boolean;
  /** Some chat is held. */
  isHolding(): boolean;
  /** The chat's events wait until the returned function is called; holds add up. */
  hold(chat: string): () => void;
}

/** Of one chat. What comes after is left out, as what was said in a long absence is. */
const MAX_HELD = 1000;

export function createIntake(): Intake {
  const held = new Map<string, { holds: number; jobs: (() => void)[] }>();
  let waiting: { chat: string; job: () => void }[] | undefined;

  function take(chat: string, job: () => void): void {
    if (waiting) waiting.push({ chat, job });
    else {
      const queue = held.get(chat);
      if (!queue) job();
      else if (queue.jobs.length < MAX_HELD) queue.jobs.push(job);
    }
  }

  return {
    take,
    pause() {
      waiting ??= [];
    },
    resume() {
      const jobs = waiting ?? [];
      waiting = undefined;
      for (const { chat, job } of jobs) take(chat, job);
    },
    isPaused: () => waiting !== undefined,
    isHolding: () => held.size > 0,
    hold(chat) {
      const queue = held.get(chat) ?? { holds: 0, jobs: [] };
      held.set(chat, queue);
      queue.holds++;
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        if (--queue.holds > 0) return;
        held.delete(chat);
        for (const job of queue.jobs) take(chat, job);
      };
    },
  };
}
