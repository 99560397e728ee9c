/** Stops of a home with several processes: who takes one in, who carries it out and who hears what comes next are not the same. */
import { describe, expect, it, vi } from 'vitest';
import { Stopping } from '../../../src/runtime/conversations/stopping.ts';

/** What each process says is heard by all, as on a server that they share. */
function wire() {
  const all = new Set<(text: string) => void>();
  return {
    publish: (_topic: string, text: string) => {
      for (const on of all) on(text);
    },
    subscribe: (_topic: string, on: (text: string) => void) => {
      all.add(on);
      return async () => void all.delete(on);
    },
  };
}

const settles = async (promise: Promise<unknown> | undefined): Promise<boolean> => {
  let isOver = false;
  void promise?.then(() => {
    isOver = true;
  });
  await new Promise(setImmediate);
  return isOver;
};

describe('a stop that another process carries out', () => {
  it('holds back what is written after it through any process, and no longer than until it is carried out', async () => {
    const shared = wire();
    const [door, worker, other] = [new Stopping(shared), new Stopping(shared), new Stopping(shared)];
    door.begin('task:a', '1');
    const held = [door, worker, other].map((each) => each.over('task:a'));
    expect(held.every((each) => each !== undefined)).toBe(true);
    expect(await settles(Promise.any(held))).toBe(false);
    expect(other.over('task:b')).toBeUndefined();
    worker.end('task:a', '1');
    expect(await settles(Promise.all(held))).toBe(true);
    for (const each of [door, worker, other]) expect(each.over('task:a')).toBeUndefined();
  });

  it('holds nobody back for longer than two seconds, though the word of its end is lost', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    try {
      const shared = wire();
      const [door, other] = [new Stopping(shared), new Stopping(shared)];
      door.begin('task:a', '1');
      const held = other.over('task:a');
      vi.advanceTimersByTime(1_999);
      expect(await settles(held)).toBe(false);
      vi.advanceTimersByTime(1);
      expect(await settles(held)).toBe(true);
    } finally {
      vi.useRealTimers();
    }
  });

  it('hears nothing of what is no word between processes', () => {
    const shared = wire();
    const other = new Stopping(shared);
    for (const text of ['', 'null', '{}', '{"lane":"task:a","id":7,"isOver":false,"by":"x"}']) shared.publish('', text);
    expect(other.over('task:a')).toBeUndefined();
  });
});
