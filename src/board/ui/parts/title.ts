/** The tab's title: the page, and before it how many tasks wait for the reader. */
import { effect, signal } from '@preact/signals';
import { words } from '../words.ts';

export const pageTitle = signal<string>(words.product);
/** Tasks that wait for whoever looks. */
export const waitingTasks = signal(0);

effect(() => {
  const count = waitingTasks.value;
  document.title = count === 0 ? pageTitle.value : `(${count}) ${pageTitle.value}`;
});
