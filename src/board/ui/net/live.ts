/**
 * The connection: events as they happen, commands until they are acknowledged. It tells when what is shown may be behind (`onBehind`):
 * after a lost connection and when the gateway says so. Whoever shows something asks for it again then; nothing is cleared before.
 */
import { signal } from '@preact/signals';
import { type AckFrame, type CommandFrame, type EventFrame, ViberClient } from '../../../client/client.ts';
import { isLoggedIn, keyOf } from './api.ts';
import { states } from './states.ts';

/** `steady`: what is seen is what holds. */
export type Connection = 'connecting' | 'steady' | 'lost' | 'refused';
export const connection = signal<Connection>('connecting');

type Listener = (event: EventFrame) => void;
const listeners = new Set<Listener>();
const behind = new Set<() => void>();
let client: ViberClient | undefined;

/** Opens the connection, once somebody is logged in. */
export function connect(): void {
  const key = keyOf();
  if (client !== undefined || key === undefined) return;
  const url = `${location.protocol === 'https:' ? 'wss:' : 'ws:'}//${location.host}/ws`;
  client = new ViberClient({ url, key, maxWaitMs: 5_000 });
  let wasOpen = false;
  client.onEvent((event) => {
    states.happened(event);
    for (const listener of [...listeners]) listener(event);
    if (event.type === 'resync') tellBehind();
  });
  client.onState((state) => {
    if (state === 'refused') isLoggedIn.value = false;
    if (state === 'open') {
      if (wasOpen) tellBehind();
      wasOpen = true;
    }
    const told = {
      open: 'steady',
      refused: 'refused',
      waiting: 'lost',
      connecting: undefined,
      closed: undefined,
    } as const;
    connection.value = told[state] ?? connection.value;
  });
  // The connection may be refused or closed first: that is told by its state.
  client.follow('*').catch(ignored);
}

/** For good, as at a logout. */
export function disconnect(): void {
  client?.close();
  client = undefined;
  connection.value = 'connecting';
}

function tellBehind(): void {
  for (const refresh of [...behind]) refresh();
}

/** Gives the function that ends it. */
export function onEvent(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Gives the function that ends it. */
export function onBehind(refresh: () => void): () => void {
  behind.add(refresh);
  return () => void behind.delete(refresh);
}

/** Resolves when the command is durable; sent again after a lost connection until it is. */
export function send(command: CommandFrame, id?: string): Promise<AckFrame> {
  if (client === undefined) return Promise.reject(new Error('not connected'));
  return client.send(command, id);
}

/** The words and tools of a task as they come, for as long as somebody looks. */
export function watch(taskId: string): () => void {
  client?.follow([taskId], 'events').catch(ignored);
  return () => void client?.unfollow([taskId]).catch(ignored);
}

/** Told by the state of the connection. */
function ignored(_error: unknown): void {
  return;
}

// A device that wakes up must not wait for a timer to find out.
addEventListener('online', () => tellBehind());
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible' && connection.value === 'steady') tellBehind();
});
