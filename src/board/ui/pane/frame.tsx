/** The frame of the wide pane: beside the page where there is room, else above it. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../parts/common.tsx';
import { isWide } from '../parts/wide.ts';
import { words } from '../words.ts';

export function PaneFrame(props: {
  name: string;
  /** Identifies the content: the heading gets the focus when it changes. */
  of: string;
  controls: ComponentChildren;
  onClose: () => void;
  children: ComponentChildren;
}): JSX.Element {
  const { name, of, controls, onClose, children } = props;
  const box = useRef<HTMLDialogElement>(null);
  useShown(box);
  useEffect(() => {
    box.current?.querySelector<HTMLElement>('h2')?.focus({ preventScroll: true });
    const leave = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || document.querySelector('dialog:modal') !== null) return;
      event.preventDefault();
      onClose();
    };
    document.addEventListener('keydown', leave);
    return () => document.removeEventListener('keydown', leave);
  }, [of]);
  return (
    <dialog
      ref={box}
      class="pane"
      aria-label={name}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <header class="pane-head">
        <h2 tabIndex={-1}>{name}</h2>
        {controls}
        <Button kind="quiet" icon="cross" label={words.close} onClick={onClose} />
      </header>
      <div class="pane-body">{children}</div>
    </dialog>
  );
}

/** Shown beside the page where it is wide; else it covers the page, and the keyboard stays in it. */
function useShown(box: { current: HTMLDialogElement | null }): void {
  const wide = isWide.value;
  useEffect(() => {
    const dialog = box.current;
    if (dialog === null) return undefined;
    const before = document.activeElement;
    if (wide) dialog.show();
    else dialog.showModal();
    document.documentElement.classList.toggle('beside', wide);
    return () => {
      document.documentElement.classList.remove('beside');
      dialog.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, [box, wide]);
}
