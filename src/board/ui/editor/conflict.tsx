/** Two texts side by side, and what can be done about them. */
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { Button } from '../parts/common.tsx';
import { Icon } from '../parts/icons.tsx';
import { announce } from '../parts/notices.tsx';
import { words } from '../words.ts';
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
  useEffect(() => announce(words.conflict.title), []);
  return (
    <section class="conflict" aria-label={words.conflict.title}>
      <p class="conflict-title">
        <Icon name="alert" />
        {words.conflict.title}
      </p>
      <p class="hint">{words.conflict.hint}</p>
      <div class="conflict-texts">
        <Text title={words.conflict.theirs} lines={shown.one} />
        <Text title={words.conflict.mine} lines={shown.other} />
      </div>
      <div class="approval-actions">
        <Button kind="main" onClick={onMerge}>
          {words.conflict.merge}
        </Button>
        <Button onClick={onMine}>{words.conflict.keepMine}</Button>
        <Button onClick={onTheirs}>{words.conflict.keepTheirs}</Button>
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
