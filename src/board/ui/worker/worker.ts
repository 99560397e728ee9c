/** The service worker. */
import { announcePush, openNotice } from './notify.ts';
import type { WorkerScope } from './scope.ts';
import { answerOf, forgetBuilds, installShell } from './shell.ts';
import { isBehind, subscribeAgain } from './subscribe.ts';

declare const self: WorkerScope;

self.addEventListener('install', (event) => event.waitUntil(installShell().then(() => self.skipWaiting())));
self.addEventListener('activate', (event) => event.waitUntil(forgetBuilds().then(() => self.clients.claim())));
self.addEventListener('fetch', (event) => {
  // The gateway can be reached when a page is opened, which it could not when the subscription ended.
  if (event.request.mode === 'navigate')
    event.waitUntil(isBehind().then((is) => (is ? subscribeAgain({}) : undefined)));
  const answer = answerOf(event.request);
  if (answer !== undefined) event.respondWith(answer);
});
self.addEventListener('push', (event) => event.waitUntil(announcePush(event.data?.text() ?? '')));
self.addEventListener('pushsubscriptionchange', (event) => event.waitUntil(subscribeAgain(event)));
self.addEventListener('notificationclick', (event) => {
  const { notification } = event;
  notification.close();
  event.waitUntil(openNotice(typeof notification.data === 'string' ? notification.data : '/board/'));
});
