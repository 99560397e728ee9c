/** Registers the service worker, which keeps the page for times without a connection. */

import { go } from '../router.ts';

const WORKER = '/board/sw.js';

/** The part of Trusted Types used here, for browsers that have them. */
interface TrustedNames {
  createPolicy(name: string, rules: { createScriptURL(): string }): { createScriptURL(asked: string): unknown };
}

/** Browsers allow service workers only over https or on this machine. */
export const hasWorkers = (): boolean => isSecureContext && 'serviceWorker' in navigator;

/** Returns the address in the form that the page's policy requires; it allows only this one. */
function workerAddress(): string {
  const { trustedTypes } = window as { trustedTypes?: TrustedNames };
  const policy = trustedTypes?.createPolicy('viber-worker', { createScriptURL: () => WORKER });
  return (policy?.createScriptURL(WORKER) ?? WORKER) as string;
}

/**
 * Called once. Registers after the page has loaded, so that it delays nothing. If a browser forbids this, the page
 * works without it, and the next visit tries again.
 */
export function keepShell(): void {
  if (!hasWorkers()) return;
  // Somebody pressed a notification, which names one of our pages.
  navigator.serviceWorker.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    if (typeof data === 'string' && data.startsWith('/board/')) void go(data);
  });
  const start = () =>
    navigator.serviceWorker
      .register(workerAddress(), { scope: '/board/', updateViaCache: 'none' })
      // The page works without it.
      .catch(() => undefined);
  if (document.readyState === 'complete') void start();
  else addEventListener('load', () => void start(), { once: true });
}
