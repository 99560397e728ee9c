/**
 * A virtual list that renders only what is near the viewport. Invariants: at most MAX_ROWS rows; a focused row stays.
 * Up, Down, Home and End move the focus from row to row.
 */
import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

const MAX_ROWS = 60;
const OVERSCAN_PX = 400;

export interface VirtualProps<T> {
  items: readonly T[];
  keyOf: (item: T) => string;
  heightOf: (item: T) => number;
  render: (item: T) => ComponentChildren;
  label: string;
  /** Called when the end comes near. */
  onEnd?: () => void;
}

/** Returns the offset of each item, and the total height last. */
function offsetsOf<T>(items: readonly T[], heightOf: (item: T) => number): Float64Array {
  const offsets = new Float64Array(items.length + 1);
  for (const [index, item] of items.entries()) offsets[index + 1] = (offsets[index] ?? 0) + heightOf(item);
  return offsets;
}

/** Returns the first item that ends below `y`. */
function itemAt(offsets: Float64Array, y: number): number {
  let low = 0;
  let high = offsets.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((offsets[middle + 1] ?? 0) > y) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Returns the row that a key moves to, or undefined for other keys. */
function stepTo(key: string, index: number, length: number): number | undefined {
  if (key === 'ArrowDown' || key === 'j') return index + 1;
  if (key === 'ArrowUp' || key === 'k') return index - 1;
  if (key === 'Home') return 0;
  return key === 'End' ? length - 1 : undefined;
}

/** Scrolls to the row if necessary, and waits a few frames until it is rendered. */
function focusRow(list: HTMLUListElement, at: number, offsets: Float64Array): void {
  const y = list.getBoundingClientRect().top + (offsets[at] ?? 0);
  if (y < 80 || y > innerHeight - 120) scrollBy(0, y - innerHeight / 2);
  const tryFocus = (left: number) => {
    const row = list.querySelector<HTMLElement>(`[data-row="${at}"] a, [data-row="${at}"] button`);
    if (row) row.focus({ preventScroll: true });
    else if (left > 0) requestAnimationFrame(() => tryFocus(left - 1));
  };
  tryFocus(10);
}

export function Virtual<T>({ items, keyOf, heightOf, render, label, onEnd }: VirtualProps<T>): JSX.Element {
  const box = useRef<HTMLUListElement>(null);
  const [range, setRange] = useState<readonly [number, number]>([0, 30]);
  const offsets = useMemo(() => offsetsOf(items, heightOf), [items]);
  const total = offsets[items.length] ?? 0;
  const end = useRef(onEnd);
  end.current = onEnd;

  useLayoutEffect(() => {
    let frame = 0;
    const look = () => {
      frame = 0;
      if (box.current === null) return;
      const top = -box.current.getBoundingClientRect().top;
      const from = Math.min(itemAt(offsets, Math.max(0, top - OVERSCAN_PX)), Math.max(0, items.length - 1));
      const to = Math.min(itemAt(offsets, top + innerHeight + OVERSCAN_PX) + 1, from + MAX_ROWS, items.length);
      setRange((before) => (before[0] === from && before[1] === to ? before : [from, to]));
      if (top + innerHeight + 3 * OVERSCAN_PX > total) end.current?.();
    };
    const later = () => {
      frame ||= requestAnimationFrame(look);
    };
    look();
    addEventListener('scroll', later, { passive: true });
    addEventListener('resize', later);
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener('scroll', later);
      removeEventListener('resize', later);
    };
  }, [offsets, items.length, total]);

  const onKeyDown = (event: KeyboardEvent) => {
    const row = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-row]') : null;
    if (row === null || event.altKey || event.ctrlKey || event.metaKey) return;
    const index = Number(row.dataset.row);
    const next = stepTo(event.key, index, items.length);
    if (next === undefined) return;
    event.preventDefault();
    const step = next < index ? -1 : 1;
    let target = next;
    // Headings have nothing to focus.
    while (items[target] !== undefined && heightOf(items[target] as T) < 52 && target > 0 && target < items.length - 1)
      target += step;
    if (box.current !== null) focusRow(box.current, Math.max(0, Math.min(items.length - 1, target)), offsets);
  };

  const [from, to] = range;
  return (
    <ul ref={box} class="virtual" aria-label={label} style={{ height: `${total}px` }} onKeyDown={onKeyDown}>
      {items.slice(from, to).map((item, index) => (
        <li
          key={keyOf(item)}
          data-row={from + index}
          aria-setsize={items.length}
          aria-posinset={from + index + 1}
          style={{ transform: `translateY(${offsets[from + index]}px)`, height: `${heightOf(item)}px` }}
        >
          {render(item)}
        </li>
      ))}
    </ul>
  );
}
