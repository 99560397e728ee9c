/** Shows two versions of a text side by side, with the ways to resolve the conflict. */
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { Button } from '../parts/common.tsx';
import { Icon } from '../parts/icons.tsx';
import { announce } from '../parts/notices.tsx';
import { words } from '../words.ts';
import { pageWords } from '../words-pages.ts';
import { compare, type ShownLine } from './merge.ts';

export function Conflict(props: {
  mine: string;
  theirs: string;
  onMine: () => void;
  onTheirs: () => void;
  onMerge: () => void;
}): JSX.Element {
  const { mine, theirs, onMine, onTheirs, onMerge } = props;
  const shown = compare(theirs, mine);
  useEffect(() => announce(words.task.changed), []);
  return (
    <section class="conflict" aria-label={words.task.changed}>
      <p class="conflict-title">
        <Icon name="alert" />
        {words.task.changed}
      </p>
      <p class="hint">{pageWords.conflict.hint}</p>
      <div class="conflict-texts">
        <Text title={pageWords.conflict.theirs} lines={shown.one} />
        <Text title={pageWords.conflict.mine} lines={shown.other} />
      </div>
      <div class="approval-actions">
        <Button kind="main" onClick={onMerge}>
          {pageWords.conflict.merge}
        </Button>
        <Button onClick={onMine}>{pageWords.conflict.keepMine}</Button>
        <Button onClick={onTheirs}>{pageWords.conflict.keepTheirs}</Button>
      </div>
    </section>
  );
}

function Text({ title, lines }: { title: string; lines: readonly ShownLine[] }): JSX.Element {
  return (
    <div class="conflict-text">
      <h3>{title}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
      <pre tabIndex={0}>
        {lines.map(({ text, isChanged }, index) => (
          <span key={index} class={isChanged ? 'changed' : undefined}>{`${text}\n`}</span>
        ))}
      </pre>
    </div>
  );
}
