/** Notifications in this browser. The service worker finds the login's key in a cache, since it has no local storage. */
import { api, storedKey } from './api.ts';
import { hasWorkers } from './shell.ts';

/** `insecure`: the page isn't at an https address or on the machine itself. */
export type PushSupport = 'insecure' | 'absent' | 'blocked' | 'yes';

export interface PushState {
  key: string;
  isOn: boolean;
  problem?: string;
}

const KEPT = 'viber-login';
const KEPT_AS = '/board/login-key';

export function pushSupport(): PushSupport {
  if (!hasWorkers()) return isSecureContext ? 'absent' : 'insecure';
  if (!('PushManager' in window) || !('Notification' in window)) return 'absent';
  return Notification.permission === 'denied' ? 'blocked' : 'yes';
}

/** Returns undefined if the person doesn't allow it. Must be called from a press on a button. */
export async function turnOn({ key }: PushState): Promise<PushState | undefined> {
  if ((await Notification.requestPermission()) !== 'granted') return undefined;
  const { pushManager } = await navigator.serviceWorker.ready;
  // One that was made with another key of the gateway can't be used any more.
  await (await pushManager.getSubscription())?.unsubscribe();
  const subscription = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  const { endpoint, keys } = subscription.toJSON();
  const state = await api<PushState>('/api/push', { method: 'PUT', body: { endpoint, keys } });
  await (await caches.open(KEPT)).put(KEPT_AS, new Response(storedKey() ?? ''));
  return state;
}

export async function turnOff(): Promise<PushState> {
  const state = await api<PushState>('/api/push', { method: 'DELETE' });
  await caches.delete(KEPT);
  const { pushManager } = await navigator.serviceWorker.ready;
  await (await pushManager.getSubscription())?.unsubscribe();
  return state;
}
