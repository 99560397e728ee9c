/** What opens above every page: a file, the search, a new task. Each loads when it is first wanted. */
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { openedRef, openedWhy } from '../net/artifact.ts';
import { words } from '../words.ts';
import { Button } from './common.tsx';
import { isBeginning, isFinding, keepTypedAhead, onFind, onKeys } from './keys.ts';
import { lazy } from './lazy.tsx';

const Pane = lazy(() => import('../pane/pane.tsx').then(({ Pane }) => Pane));
const Why = lazy(() => import('../pane/why.tsx').then(({ Why }) => Why));
const NewTask = lazy(() => import('../pages/new-task.tsx').then(({ NewTask }) => NewTask));
const Palette = lazy(() => import('../pages/palette.tsx').then(({ Palette }) => Palette));

export function Overlays(): JSX.Element {
  useEffect(keepTypedAhead, []);
  return (
    <>
      <Opened />
      <Beginning />
      <Searching />
    </>
  );
}

/** A new task, by the key N or a button. */
function Beginning(): JSX.Element | null {
  useEffect(() => onKeys({ n: () => (isBeginning.value = true) }), []);
  return isBeginning.value ? <NewTask onClose={() => (isBeginning.value = false)} /> : null;
}

function Searching(): JSX.Element | null {
  useEffect(() => onFind(() => (isFinding.value = true)), []);
  return isFinding.value ? <Palette onClose={() => (isFinding.value = false)} /> : null;
}

export const SearchButton = (): JSX.Element => (
  <Button icon="search" onClick={() => (isFinding.value = true)}>
    {words.find.label}
    <kbd>{words.find.key}</kbd>
  </Button>
);

/** The file or the explanation that the address names, beside the page; a file goes first, and leaves the other. */
function Opened(): JSX.Element | null {
  const ref = openedRef();
  if (ref !== undefined) return <Pane file={ref} />;
  const why = openedWhy();
  return why === undefined ? null : <Why {...why} />;
}
