/**
 * Shows what a push is about. The push itself says nothing but its kind; the words come from the gateway, with the
 * login of this browser, and without it a general sentence is shown.
 */
import { fetchAsLogin } from './login.ts';
import type { WorkerScope } from './scope.ts';

declare const self: WorkerScope;
declare const SHELL_ICON: string;

interface Notice {
  title: string;
  body: string;
  /** A page of the Board. */
  url: string;
}

const GENERAL: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  en: { question: 'A question is waiting for you on the Board.', done: 'Your viber has finished something.' },
  de: { question: 'Auf dem Board wartet eine Frage auf dich.', done: 'Dein Viber ist mit etwas fertig.' },
  es: { question: 'Te espera una pregunta en el panel.', done: 'Tu viber ha terminado algo.' },
};
const OTHER: Readonly<Record<string, string>> = {
  en: 'There is something new on the Board.',
  de: 'Auf dem Board gibt es etwas Neues.',
  es: 'Hay algo nuevo en el panel.',
};

export async function announcePush(kind: string): Promise<void> {
  // Without the gateway, the general sentence is shown.
  const { title, body, url } = (await wordsOfGateway(kind).catch(() => undefined)) ?? generalNotice(kind);
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const isSeen = windows.some(({ visibilityState }) => visibilityState === 'visible');
  // Browsers want every push to be shown. Who sees the Board needs no sound, and no second look.
  const options = { body, tag: `viber-${kind}`, icon: SHELL_ICON, data: url, silent: isSeen };
  await self.registration.showNotification(title, options);
  if (!isSeen || kind === 'test') return;
  for (const shown of await self.registration.getNotifications({ tag: options.tag })) shown.close();
}

function generalNotice(kind: string): Notice {
  const tag = self.navigator.language.slice(0, 2);
  const language = Object.hasOwn(OTHER, tag) ? tag : 'en';
  return { title: 'Viber', body: GENERAL[language]?.[kind] ?? OTHER[language] ?? '', url: '/board/' };
}

/** Returns undefined without a login, or if the gateway doesn't know it. Rejects if it can't be reached. */
async function wordsOfGateway(kind: string): Promise<Notice | undefined> {
  const answer = await fetchAsLogin(`/api/push/news?kind=${encodeURIComponent(kind)}`);
  if (!answer?.ok) return undefined;
  const found = (await answer.json()) as Partial<Notice>;
  if (!found.title || !found.url?.startsWith('/board/')) return undefined;
  return { title: found.title, body: found.body ?? '', url: found.url };
}

/** Leads to what the notification is about, in an open window if there is one. */
export async function openNotice(url: string): Promise<void> {
  const windows = await self.clients.matchAll({ type: 'window' });
  const open = windows.find((one) => new URL(one.url).pathname.startsWith('/board'));
  if (open === undefined) {
    await self.clients.openWindow(url);
    return;
  }
  open.postMessage(url);
  await open.focus();
}
