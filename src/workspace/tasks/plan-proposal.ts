/** A plan that a person has not decided about: the viber's, made from an older one than now stands. One a task; the newest counts. */
import fs from 'node:fs';
import path from 'node:path';
import { hashText, writeFileAtomic } from '../../lib/files.ts';
import { peekJson } from '../../lib/read-json.ts';
import { isText, objectOf, optional, shape } from '../../lib/shape.ts';
import type { Home } from '../home.ts';

interface Proposal {
  key: string;
  text: string;
  /** The plan that was shown beside it. */
  current?: string;
}

const proposalShape = shape<Proposal>(objectOf({ key: isText, text: isText, current: optional(isText) }));
const proposalFile = (home: Home, taskId: string) => path.join(home.taskDir(taskId), '.proposed-plan.json');

/** Gives how a button names it: the same for the same run. */
export async function keepProposal(
  home: Home,
  taskId: string,
  run: string,
  { text, current }: { text: string; current: string },
): Promise<string> {
  const key = hashText(JSON.stringify([run, text, current])).slice(0, 8);
  await writeFileAtomic(proposalFile(home, taskId), `${JSON.stringify({ key, text, current })}\n`);
  return key;
}

/** Undefined when another has taken its place, or it was decided. */
export function readProposal(home: Home, taskId: string, key: string): Proposal | undefined {
  const found = peekJson(proposalFile(home, taskId), proposalShape);
  return found?.key === key ? found : undefined;
}

export const dropProposal = (home: Home, taskId: string): void =>
  fs.rmSync(proposalFile(home, taskId), { force: true });
