/** Notes below an answer: login links that its run asked for, and servers that need a login. Kept in memory. */
import { createLru } from '../../../lib/lru.ts';
import { lines, type Messages, type Text, words } from '../../../messages/messages.ts';
import type { Entry } from '../../../runtime/contract/entry.ts';
import type { Below } from '../../../runtime/contract/feature.ts';
import { type Gateway, perGateway } from '../../gateway.ts';

/** `more`: the login lacks a scope. */
export type Need = 'login' | 'more';

export interface TaskNotes {
  links: Map<string, string>;
  needs: Map<string, Need>;
}

const MAX_TASKS = 200;

const notes = perGateway(() => createLru<TaskNotes>(MAX_TASKS));

/** Drops the notes of an earlier run of the task. */
export const beginNotes = (taskId: string, gw: Gateway): void => notes(gw).delete(taskId);

export function notesOf(taskId: string, gw: Gateway): TaskNotes {
  const kept = notes(gw).get(taskId) ?? { links: new Map(), needs: new Map() };
  notes(gw).set(taskId, kept);
  return kept;
}

export function loginsBelow({ taskId, principal, message }: Entry, messages: Messages, gw: Gateway): Below | undefined {
  const { links, needs } = notes(gw).get(taskId) ?? {};
  if (!links || !needs || !message.isDirect) return undefined;
  const texts: Text[] = [...links].map(([name, url]) => linkText(name, url, messages));
  const open = [...needs].filter(([name]) => !links.has(name));
  for (const [name, need] of open)
    texts.push(messages.text(need === 'more' ? 'mcp.moreNeeded' : 'mcp.loginNeeded', { name }));
  const buttons =
    principal.role === 'owner'
      ? open.map(([name]) => [{ label: messages.text('mcp.button', { name }), command: 'mcp', args: `login ${name}` }])
      : [];
  return texts.length > 0 ? { text: lines(...texts), buttons } : undefined;
}

/** Angle brackets keep characters of the address from being formatted. */
export const linkText = (name: string, url: string, messages: Messages): Text =>
  lines(
    messages.text('mcp.link', { name }),
    '',
    words(`<${url}>`),
    '',
    messages.text('mcp.comesBack'),
    messages.text('mcp.goesOn'),
  );
