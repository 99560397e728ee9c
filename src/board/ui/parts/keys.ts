/** Keys that work on every page, unless somebody types or a dialog asks, and what the search can do there. */
import { signal } from '@preact/signals';
import type { IconName } from './icons.tsx';

export const isBeginning = signal(false);
export const isFinding = signal(false);

/** Something that can be done with the task that is shown, by a button and by the search. */
export interface Act {
  id: 'rename' | 'archive' | 'delete' | 'stop';
  icon: IconName;
  title: string;
  isPressed?: boolean;
  act: () => void;
}
export const shownActs = signal<{ of: string; acts: readonly Act[] }>({ of: '', acts: [] });

let ahead = '';

/**
 * Writes into `box`, as typing would, what was typed after the key that opened its dialog while that was still loading.
 * It must happen in the turn in which the box gets the focus: what is typed next already goes into the box.
 */
export function writeTypedAhead(box: HTMLInputElement | HTMLTextAreaElement): void {
  const text = ahead;
  ahead = '';
  if (text === '') return;
  box.value += text;
  box.dispatchEvent(new Event('input', { bubbles: true }));
}

/** Keeps what is typed ahead, which otherwise would be lost or taken for other keys. Returns a function that ends it. */
export function keepTypedAhead(): () => void {
  const press = (event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, altKey } = event;
    const isOpening = (isBeginning.peek() || isFinding.peek()) && document.querySelector('dialog:modal') === null;
    if (!isOpening || ctrlKey || metaKey || altKey || key.length !== 1) return;
    ahead += key;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  document.addEventListener('keydown', press, true);
  return () => document.removeEventListener('keydown', press, true);
}

const isTyping = (target: EventTarget | undefined): boolean =>
  target instanceof Element && target.closest('input, textarea, select, [contenteditable], [role="textbox"]') !== null;

/** Returns a function that ends it. */
export function onKeys(acts: Readonly<Record<string, () => void>>): () => void {
  const press = (event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, altKey, defaultPrevented } = event;
    // The editor has a tree of its own, outside of which only its box is seen.
    const [target] = event.composedPath();
    const act = acts[key.toLowerCase()];
    if (act === undefined || ctrlKey || metaKey || altKey || defaultPrevented || isTyping(target)) return;
    if (document.querySelector('dialog:modal') !== null) return;
    event.preventDefault();
    act();
  };
  document.addEventListener('keydown', press);
  return () => document.removeEventListener('keydown', press);
}

/** Ctrl-K, or Cmd-K, also while somebody types. Returns a function that ends it. */
export function onFind(act: () => void): () => void {
  const press = (event: KeyboardEvent) => {
    if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
    event.preventDefault();
    if (document.querySelector('dialog:modal') === null) act();
  };
  document.addEventListener('keydown', press);
  return () => document.removeEventListener('keydown', press);
}
