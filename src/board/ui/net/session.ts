/** The logged-in person. */
import { signal } from '@preact/signals';
import type { Me } from '../../../client/shapes.ts';
import { speak } from '../words.ts';
import { ApiError, api, isLoggedIn, isUnreachable, KEY, keepKey, storedKey } from './api.ts';
import { openConnection } from './live.ts';
import { beginUnsentOf } from './unsent.ts';

export const me = signal<Me | undefined>(undefined);
export const meError = signal<unknown>(undefined);

/** How soon to look again for a gateway that can't be reached, in ms. */
const AGAIN_MS = 5_000;
let again: ReturnType<typeof setTimeout> | undefined;

// A login in another tab may be somebody else's: nothing of this one's may be shown or sent in their name.
addEventListener('storage', ({ key }) => {
  if (key === KEY) location.reload();
});

export const isOwner = (): boolean => me.value?.role === 'owner';

export async function whoAmI(): Promise<void> {
  clearTimeout(again);
  if (storedKey() === undefined) {
    isLoggedIn.value = false;
    return;
  }
  try {
    const found = await api<Me>('/api/me');
    await speak(found.language);
    beginUnsentOf(found.principal);
    me.value = found;
    meError.value = undefined;
    isLoggedIn.value = true;
    openConnection();
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return;
    meError.value = error;
    if (isUnreachable(error)) again = setTimeout(() => void whoAmI(), AGAIN_MS);
  }
}

/**
 * Exchanges a link's code for a key.
 * @throws {ApiError} for a used or expired code
 */
export async function logIn(code: string): Promise<void> {
  const { key } = await api<{ key: string }>('/board/session', { method: 'POST', body: { code } });
  keepKey(key);
  await whoAmI();
}
