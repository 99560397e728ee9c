/** Notices: a live region for screen readers, a toast at the foot of the page, and modal questions. */
import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { said } from '../net/api.ts';
import { words } from '../words.ts';
import { Button } from './common.tsx';

const spoken = signal('');
const shown = signal<{ text: string; warm: boolean; action?: { label: string; act: () => void } } | undefined>(
  undefined,
);
const NOTE_MS = 6_000;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Announces states, never the text of an answer in progress. */
export function announce(text: string): void {
  spoken.value = text;
}

export function showNotice(
  text: string,
  options: { warm?: boolean; action?: { label: string; act: () => void }; ms?: number } = {},
): void {
  clearTimeout(timer);
  shown.value = { text, warm: options.warm ?? false, ...(options.action && { action: options.action }) };
  announce(text);
  timer = setTimeout(() => {
    shown.value = undefined;
  }, options.ms ?? NOTE_MS);
}

export const showProblem = (error: unknown): void => showNotice(said(error), { warm: true });

export function Notices(): JSX.Element {
  const now = shown.value;
  return (
    <>
      <div class="hidden" role="status" aria-live="polite">
        {spoken.value}
      </div>
      {now !== undefined && (
        <div class={`note${now.warm ? ' warm' : ''}`}>
          <span>{now.text}</span>
          {now.action !== undefined && (
            <Button
              kind="quiet"
              small
              onClick={() => {
                shown.value = undefined;
                now.action?.act();
              }}
            >
              {now.action.label}
            </Button>
          )}
        </div>
      )}
      <Question />
    </>
  );
}

interface Confirmation {
  title: string;
  hint?: string;
  yes: string;
  no?: string;
  answer: (isYes: boolean) => void;
}
const asked = signal<Confirmation | undefined>(undefined);

export function confirm(question: Omit<Confirmation, 'answer'>): Promise<boolean> {
  return new Promise((resolve) => {
    asked.value = {
      ...question,
      answer: (isYes) => {
        asked.value = undefined;
        resolve(isYes);
      },
    };
  });
}

function Question(): JSX.Element | null {
  const dialog = useRef<HTMLDialogElement>(null);
  const now = asked.value;
  useEffect(() => {
    if (now !== undefined && dialog.current?.open === false) dialog.current.showModal();
  }, [now]);
  if (now === undefined) return null;
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="question" onClose={() => now.answer(false)}>
      <h2 id="question">{now.title}</h2>
      {now.hint !== undefined && <p>{now.hint}</p>}
      <div class="dialog-actions">
        <Button onClick={() => now.answer(false)}>{now.no ?? words.cancel}</Button>
        <Button kind="main" onClick={() => now.answer(true)}>
          {now.yes}
        </Button>
      </div>
    </dialog>
  );
}
