/** A plan that a person has not decided about: the viber's, made from an older one than now stands. One a task; the newest counts. */
import fs from 'node:fs';
import path from 'node:path';
import { hashText, writeFileAtomic } from '../../lib/files.ts';
import { peekJson } from '../../lib/read-json.ts';
import { isText, objectOf, shape } from '../../lib/shape.ts';
import type { Home } from '../home.ts';

interface Proposal {
  key: string;
  text: string;
}

const proposalShape = shape<Proposal>(objectOf({ key: isText, text: isText }));
const proposalFile = (home: Home, taskId: string) => path.join(home.taskDir(taskId), '.proposed-plan.json');

/** Gives how a button names it: the same for the same run. */
export async function keepProposal(home: Home, taskId: string, run: string, text: string): Promise<string> {
  const key = hashText(`${run} ${text}`).slice(0, 8);
  await writeFileAtomic(proposalFile(home, taskId), `${JSON.stringify({ key, text })}\n`);
  return key;
}

/** Undefined when another has taken its place, or it was decided. */
export function readProposal(home: Home, taskId: string, key: string): string | undefined {
  const found = peekJson(proposalFile(home, taskId), proposalShape);
  return found?.key === key ? found.text : undefined;
}

export const dropProposal = (home: Home, taskId: string): void =>
  fs.rmSync(proposalFile(home, taskId), { force: true });
