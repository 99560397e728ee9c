/**
 * Keeps received events in order. Invariant: the events of one chat are passed on in the order given here; those put
 * first while the chat is held go before the held ones. Chats never wait for each other.
 */
export type Intake = ReturnType<typeof createIntake>;

/** The most events held per chat. Later ones are dropped, like those of a long absence. */
const MAX_HELD = 1000;

export function createIntake() {
  const held = new Map<string, { holds: number; jobs: (() => void)[] }>();
  let waiting: { chat: string; job: () => void }[] | undefined;

  /** Runs the job now, in the caller's tick, unless everything or this chat is held. */
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
    /** Holds everything until `resume`. */
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
    /** Holds the chat's events until the returned function is called; holds add up. */
    hold(chat: string): () => void {
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
