/** A plan that a person has not decided about: the viber's, made from an older one than now stands. One a task; the newest counts. */
import fs from 'node:fs';
import path from 'node:path';
import { hashText, readTextSync, writeFileAtomic } from '../lib/files.ts';
import type { Home } from './home.ts';

const proposalFile = (home: Home, taskId: string) => path.join(home.taskDir(taskId), '.proposed-plan.md');

/** How a button names it. */
export const proposalKey = (text: string): string => hashText(text).slice(0, 8);

export async function keepProposal(home: Home, taskId: string, text: string): Promise<string> {
  await writeFileAtomic(proposalFile(home, taskId), text);
  return proposalKey(text);
}

/** Undefined when another has taken its place, or it was decided. */
export function readProposal(home: Home, taskId: string, key: string): string | undefined {
  const text = readTextSync(proposalFile(home, taskId));
  return text !== undefined && proposalKey(text) === key ? text : undefined;
}

export const dropProposal = (home: Home, taskId: string): void =>
  fs.rmSync(proposalFile(home, taskId), { force: true });
