/** Stores requests as `access/approvals/{id}.json`, beside the texts that were too long for a message. */
import fs from 'node:fs';
import path from 'node:path';
import { namesIn, quarantine } from '../../lib/damage.ts';
import { writeFileAtomic } from '../../lib/files.ts';
import { readJson } from '../../lib/json.ts';
import { anything, isFilled, isText, isTime, listOf, objectOf, oneOf, optional, shape } from '../../lib/shape.ts';
import type { ApprovalRequest } from '../contract/approval.ts';
import { isMessage, isPrincipal } from '../contract/spool-shapes.ts';

const ID = /^[a-f0-9]{24}$/;

const VERDICTS = ['approve', 'always', 'deny', 'expired', 'answer', 'another', 'wrote', 'stop'];
export const isDecision = objectOf({
  verdict: oneOf(...VERDICTS),
  by: isText,
  name: isText,
  at: isTime,
  answer: optional(isText),
  place: optional(oneOf('board')),
  isWide: optional(oneOf(true)),
});
const isKey = objectOf({ tool: isFilled, kind: isText });
const isAskedCall = objectOf({ callId: isText, input: anything, digest: isText, shows: optional(isText) });
const requestShape = shape<ApprovalRequest>(
  objectOf({
    id: isFilled,
    kind: oneOf('tool', 'plan', 'question'),
    viber: isFilled,
    taskId: isFilled,
    run: isFilled,
    callId: isText,
    tool: isText,
    input: anything,
    digest: isText,
    scope: isText,
    askedAt: isTime,
    expiresAt: optional(isTime),
    shows: optional(isText),
    otherwise: optional(isText),
    principal: isPrincipal,
    asked: listOf(isMessage),
    decision: optional(isDecision),
    takenAt: optional(isTime),
    kinds: optional(listOf(isText)),
    wide: optional(isKey),
    more: optional(listOf(isAskedCall)),
    sentence: optional(isText),
    details: optional(isText),
  }),
);
const ABOUT = {
  lost: 'a question that waited for a person',
  next: 'Nothing runs because of it. The next message in its task continues without it.',
  tell: true,
};

export const storeRequest = (folder: string, request: ApprovalRequest): Promise<void> =>
  writeFileAtomic(path.join(folder, `${request.id}.json`), `${JSON.stringify(request, null, 2)}\n`);

export function forgetDecided(folder: string, requests: Map<string, ApprovalRequest>, before: number): void {
  for (const [id, { decision }] of requests) {
    if (!decision || Date.parse(decision.at) > before) continue;
    requests.delete(id);
    for (const name of [`${id}.json`, `${id}.txt`]) fs.rmSync(path.join(folder, name), { force: true });
  }
}

/** Returns undefined for an unknown ID or a damaged file. */
export function readRequest(folder: string, id: string): ApprovalRequest | undefined {
  if (!ID.test(id)) return undefined;
  const file = path.join(folder, `${id}.json`);
  const request = readJson(file, requestShape, ABOUT);
  if (request && request.id !== id) quarantine(file, 'holds the request of another ID', ABOUT);
  return request?.id === id ? request : undefined;
}

export const requestIds = (folder: string): string[] =>
  namesIn(folder)
    .filter((name) => name.endsWith('.json') && ID.test(path.basename(name, '.json')))
    .map((name) => path.basename(name, '.json'));

/** Oldest first. A damaged one counts as never asked, so nothing runs because of it. */
export function loadRequests(folder: string): Map<string, ApprovalRequest> {
  const requests = requestIds(folder).flatMap((id) => readRequest(folder, id) ?? []);
  return new Map(requests.sort((a, b) => a.askedAt.localeCompare(b.askedAt)).map((one) => [one.id, one]));
}
