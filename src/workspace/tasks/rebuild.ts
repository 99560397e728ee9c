/** Rebuilds a task's record from its session, which doesn't hold what people allowed: the task asks again. */
import fs from 'node:fs';
import path from 'node:path';
import { namesIn } from '../../lib/damage.ts';
import { DEFAULT_VIBER, type Home, isId } from '../home.ts';
import type { SessionEntry, TaskRecord } from '../types.ts';
import { parseEntry } from './session-lines.ts';

const HEAD_BYTES = 512 * 1024;

export function rebuildTask(home: Home, taskId: string, titleOf: (goal: string) => string): TaskRecord | undefined {
  const vibers = namesIn(home.agents).filter(isId);
  for (const viber of [DEFAULT_VIBER, ...vibers.filter((id) => id !== DEFAULT_VIBER)]) {
    const entries = readFirstEntries(path.join(home.agents, viber, 'sessions', `${taskId}.jsonl`));
    const first = entries.find((entry) => entry.type === 'message');
    if (!first) continue;
    const results = entries.filter((entry) => entry.type === 'result');
    return {
      id: taskId,
      viber,
      goal: first.text.slice(0, 4000) || 'Untitled',
      title: titleOf(first.text),
      state: results.at(-1)?.state ?? 'stopped',
      people: [`${first.from.channel}:${first.from.user}`],
      conversations: [],
      runs: results.length,
      createdAt: first.at,
      updatedAt: new Date().toISOString(),
    };
  }
  return undefined;
}

function readFirstEntries(file: string): SessionEntry[] {
  if (!fs.statSync(file, { throwIfNoEntry: false })?.isFile()) return [];
  const fd = fs.openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(HEAD_BYTES);
    const text = bytes.toString('utf8', 0, fs.readSync(fd, bytes, 0, HEAD_BYTES, 0));
    return text.split('\n').flatMap((line) => (line === '' ? [] : (parseEntry(line) ?? [])));
  } finally {
    fs.closeSync(fd);
  }
}
