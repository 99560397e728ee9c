/** The files of requests, `access/approvals/{id}.json`, and beside them the texts that were too long for a message. */
import fs from 'node:fs';
import path from 'node:path';
import { errorCode } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { writeFileAtomic } from '../../workspace/files.ts';
import type { ApprovalRequest } from '../approvals.ts';

const ID = /^[a-f0-9]{24}$/;

/** Durable when it resolves. */
export const storeRequest = (folder: string, request: ApprovalRequest): Promise<void> =>
  writeFileAtomic(path.join(folder, `${request.id}.json`), `${JSON.stringify(request, null, 2)}\n`);

export function removeRequest(folder: string, id: string): void {
  for (const name of [`${id}.json`, `${id}.txt`]) fs.rmSync(path.join(folder, name), { force: true });
}

/** All requests there are, oldest first. A damaged one is named in the log and left out. */
export function loadRequests(folder: string, log: Logger): Map<string, ApprovalRequest> {
  const requests = new Map<string, ApprovalRequest>();
  for (const name of namesIn(folder)) {
    const id = path.basename(name, '.json');
    if (!name.endsWith('.json') || !ID.test(id)) continue;
    const request = parse(fs.readFileSync(path.join(folder, name), 'utf8'));
    if (request?.id === id) requests.set(id, request);
    else log.warn({ file: `access/approvals/${name}` }, 'a damaged request is left out');
  }
  return new Map([...requests].sort(([, a], [, b]) => a.askedAt.localeCompare(b.askedAt)));
}

function namesIn(folder: string): string[] {
  try {
    return fs.readdirSync(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Our own file: replaced as a whole, so it is whole or foreign. */
function parse(text: string): ApprovalRequest | undefined {
  try {
    const value = JSON.parse(text) as ApprovalRequest;
    return typeof value === 'object' && value !== null && Array.isArray(value.asked) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
