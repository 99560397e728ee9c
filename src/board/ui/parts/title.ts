/** The tab's title: the number of waiting tasks and the page. */
import { effect, signal } from '@preact/signals';
import { words } from '../words.ts';

export const pageTitle = signal('');
export const waitingTasks = signal(0);

effect(() => {
  const count = waitingTasks.value;
  const shown = pageTitle.value || words.product;
  document.title = count === 0 ? shown : `(${count}) ${shown}`;
});
