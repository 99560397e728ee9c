/**
 * The connection: events as they happen, and commands until they are acknowledged. `onBehind` reports when the page may
 * be outdated: after a lost connection, and when the gateway says so. Listeners then reload, and keep the old content
 * until the new one arrives.
 */
import { signal } from '@preact/signals';
import { type AckFrame, type CommandFrame, type EventFrame, ViberClient } from '../../../client/client.ts';
import { isLoggedIn, storedKey } from './api.ts';
import { states } from './states.ts';

/** `steady`: the page is up to date. */
export type Connection = 'connecting' | 'steady' | 'lost' | 'refused';
export const connection = signal<Connection>('connecting');

type Listener = (event: EventFrame) => void;
const listeners = new Set<Listener>();
const behind = new Set<() => void>();
let client: ViberClient | undefined;

export function openConnection(): void {
  const key = storedKey();
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
  client.follow('*').catch(ignored);
}

/** Closes the connection for good, for example on logout. */
export function disconnect(): void {
  client?.close();
  client = undefined;
  connection.value = 'connecting';
}

function tellBehind(): void {
  for (const refresh of [...behind]) refresh();
}

/** Returns a function that unsubscribes, as does `onBehind`. */
export function onEvent(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function onBehind(refresh: () => void): () => void {
  behind.add(refresh);
  return () => void behind.delete(refresh);
}

/** Resolves when the command is durable; resends it after a lost connection until then. */
export function sendCommand(command: CommandFrame, id?: string): Promise<AckFrame> {
  if (client === undefined) return Promise.reject(new Error('not connected'));
  return client.send(command, id);
}

/** Subscribes to a task's text and tools until the returned function is called. */
export function watch(taskId: string): () => void {
  client?.follow([taskId], 'events').catch(ignored);
  return () => void client?.unfollow([taskId]).catch(ignored);
}

/** A refused or closed connection shows in its state. */
const ignored = (): void => undefined;

// A device that wakes up must not wait for a timer.
addEventListener('online', () => tellBehind());
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible' && connection.value === 'steady') tellBehind();
});
