/** The tab's title: the number of waiting tasks and the page. */
import { effect, signal } from '@preact/signals';
import { words } from '../words.ts';

export const pageTitle = signal<string>(words.product);
/** The number of tasks that wait for this person. */
export const waitingTasks = signal(0);

effect(() => {
  const count = waitingTasks.value;
  document.title = count === 0 ? pageTitle.value : `(${count}) ${pageTitle.value}`;
});
