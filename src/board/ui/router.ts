/** The current location, as a signal. Links are ordinary links; those within the Board don't reload the page. */
import { computed, signal } from '@preact/signals';

const BASE = '/board';

export interface Place {
  /** Below `/board`, without slashes at its ends, as in the address: `tasks/20261121-abcde`. */
  path: string;
  query: URLSearchParams;
}

const readLocation = (): Place => ({
  path: location.pathname.slice(BASE.length).replace(/^\/+|\/+$/g, ''),
  query: new URLSearchParams(location.search),
});

export const place = signal<Place>(readLocation());
/** The decoded parts of the path. One that can't be decoded leaves the whole path as the name of a page nobody has. */
export const parts = computed<readonly string[]>(() => {
  const { path } = place.value;
  try {
    return path.split('/').map((part) => decodeURIComponent(part).trim());
  } catch (error) {
    if (error instanceof URIError) return [`/${path}`];
    throw error;
  }
});

export const guard: { ask?: (() => Promise<boolean>) | undefined } = {};

export const pageLink = (path: string): string => `${BASE}${path === '' ? '/' : `/${path}`}`;
export const taskLink = (taskId: string): string => pageLink(`tasks/${encodeURIComponent(taskId)}`);

/** Drops a part of the query that has been acted on, without an entry in the history. */
export function dropQuery(name: string): void {
  const url = new URL(location.href);
  url.searchParams.delete(name);
  history.replaceState(history.state, '', url);
  place.value = readLocation();
}

const positions = new Map<string, number>();
const placeKey = () => location.pathname + location.search;

export async function go(href: string, options: { replace?: boolean } = {}): Promise<void> {
  if (guard.ask !== undefined && !(await guard.ask())) return;
  positions.set(placeKey(), scrollY);
  const before = location.pathname;
  if (options.replace) history.replaceState(null, '', href);
  else history.pushState(null, '', href);
  place.value = readLocation();
  if (location.pathname !== before) requestAnimationFrame(() => scrollTo(0, 0));
}

addEventListener('popstate', () => {
  place.value = readLocation();
  const at = positions.get(placeKey()) ?? 0;
  // Waits until the restored page has its height.
  requestAnimationFrame(() => requestAnimationFrame(() => scrollTo(0, at)));
});

document.addEventListener('click', (event) => {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    return;
  const anchor = event.target instanceof Element ? event.target.closest('a') : null;
  if (anchor === null || anchor.target !== '' || anchor.hasAttribute('download')) return;
  const url = new URL(anchor.href, location.href);
  if (url.origin !== location.origin || !(url.pathname === BASE || url.pathname.startsWith(`${BASE}/`))) return;
  if (url.pathname === location.pathname && url.hash !== '') return;
  event.preventDefault();
  void go(url.pathname + url.search);
});
