/**
 * Subscribes again when the browser or its push service has ended the subscription. Until the gateway knows the new
 * one, a note stays in the cache of the login, and the next visit tries again.
 */
import { fetchAsLogin, keptKey, LOGIN } from './login.ts';
import type { SubscriptionEvent, WorkerScope } from './scope.ts';

declare const self: WorkerScope;

const BEHIND = '/board/push-behind';

export const isBehind = async (): Promise<boolean> => (await caches.match(BEHIND, { cacheName: LOGIN })) !== undefined;

/** Never rejects: nobody waits for it, and the note says what is left to do. */
export async function subscribeAgain(event: Partial<SubscriptionEvent>): Promise<void> {
  // Without a login, notifications aren't on here.
  if ((await keptKey()) === undefined) return;
  const cache = await caches.open(LOGIN);
  await cache.put(BEHIND, new Response(''));
  const isDone = await tellGateway(event).catch(failed);
  if (isDone) await cache.delete(BEHIND);
}

const failed = (): boolean => false;

async function tellGateway({ newSubscription }: Partial<SubscriptionEvent>): Promise<boolean> {
  const state = await fetchAsLogin('/api/push');
  // The login has ended, and the subscription with it.
  if (state === undefined || state.status === 401 || state.status === 403) return true;
  if (!state.ok) return false;
  const { key } = (await state.json()) as { key: string };
  const { pushManager } = self.registration;
  const made = newSubscription ?? (await pushManager.getSubscription());
  const subscription = made ?? (await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key }));
  const { endpoint, keys } = subscription.toJSON();
  const told = await fetchAsLogin('/api/push', { endpoint, keys });
  return told?.ok === true;
}
