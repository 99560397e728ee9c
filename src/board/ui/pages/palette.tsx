/** Ctrl-K: finds tasks, messages, files, memory, jobs, skills, commands, settings and pages, without a mouse. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { type Finding, findHere, findThere, type Lists, loadLists } from '../net/find.ts';
import { Icon } from '../parts/icons.tsx';
import { writeTypedAhead } from '../parts/keys.ts';
import { go } from '../router.ts';
import { words } from '../words.ts';

const WAIT_MS = 60;
const optionId = (index: number): string => `found-${index}`;

export function Palette({ onClose }: { onClose: () => void }): JSX.Element {
  const box = useRef<HTMLDialogElement>(null);
  const query = useSignal('');
  const lists = useSignal<Lists>({});
  const there = useSignal<{ query: string; found: readonly Finding[] }>({ query: '', found: [] });
  const isBusy = useSignal(false);
  const at = useSignal(0);
  useEffect(() => {
    box.current?.showModal();
    const field = box.current?.querySelector('input');
    if (field) writeTypedAhead(field);
    void loadLists((part) => (lists.value = { ...lists.value, ...part }));
  }, [lists]);
  const now = query.value.trim();
  useEffect(() => {
    at.value = 0;
    if (now === '') {
      there.value = { query: '', found: [] };
      return undefined;
    }
    const ended = new AbortController();
    isBusy.value = true;
    const timer = setTimeout(() => {
      void findThere(now, ended.signal, (found) => {
        // The first answer replaces what was found before, the others join it.
        const known = there.peek();
        there.value = { query: now, found: known.query === now ? [...known.found, ...found] : found };
      }).finally(() => {
        if (!ended.signal.aborted) isBusy.value = false;
      });
    }, WAIT_MS);
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
  }, [now, at, there, isBusy]);
  const found = grouped([...findHere(now, lists.value), ...there.value.found]);
  const goTo = (finding: Finding | undefined) => {
    if (finding === undefined) return;
    onClose();
    if (finding.act !== undefined) finding.act();
    else if (finding.href !== undefined) void go(finding.href);
  };
  const chosen = Math.min(at.value, Math.max(0, found.length - 1));
  useEffect(() => {
    document.getElementById(optionId(chosen))?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  return (
    <dialog ref={box} class="palette" aria-label={words.find.label} onClose={onClose}>
      <div class="palette-box">
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          aria-expanded={found.length > 0}
          aria-controls="found"
          aria-activedescendant={found.length > 0 ? optionId(chosen) : undefined}
          aria-label={words.find.label}
          placeholder={words.find.placeholder}
          autocomplete="off"
          spellcheck={false}
          value={query.value}
          onInput={(event) => (query.value = event.currentTarget.value)}
          onKeyDown={(event) => {
            const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
            if (step !== undefined && found.length > 0) at.value = (chosen + step + found.length) % found.length;
            else if (event.key === 'Enter' && !event.isComposing) goTo(found[chosen]);
            else return;
            event.preventDefault();
          }}
        />
      </div>
      <FoundList found={found} chosen={chosen} onChoose={goTo} />
      <p class="palette-none" role="status">
        {found.length === 0 && now !== '' && (isBusy.value ? words.find.busy : words.find.none(now))}
      </p>
    </dialog>
  );
}

/** Keeps the results of a group together. Groups are in the order of their first results. */
function grouped(found: readonly Finding[]): readonly Finding[] {
  const groups = new Map<string, Finding[]>();
  for (const finding of found) groups.set(finding.group, [...(groups.get(finding.group) ?? []), finding]);
  return [...groups.values()].flat();
}

function withMarks({ title, marks = [] }: Finding): ComponentChildren {
  return [
    ...marks.flatMap(([at, length], index) => {
      const [before = 0, its = 0] = marks[index - 1] ?? [];
      return [title.slice(before + its, at), <mark key={at}>{title.slice(at, at + length)}</mark>];
    }),
    title.slice(marks.reduce((end, [at, length]) => Math.max(end, at + length), 0)),
  ];
}

function FoundList(props: {
  found: readonly Finding[];
  chosen: number;
  onChoose: (finding: Finding) => void;
}): JSX.Element {
  const { found, chosen, onChoose } = props;
  return (
    <div class="palette-found" id="found" role="listbox" aria-label={words.find.label}>
      {found.map((finding, index) => (
        <div key={`${finding.group} ${finding.id}`} role="presentation">
          {finding.group !== found[index - 1]?.group && (
            <p class="palette-group" role="presentation">
              {words.find.groups[finding.group]}
            </p>
          )}
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the box */}
          {/* biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the box */}
          <div
            id={optionId(index)}
            class="found"
            role="option"
            aria-selected={index === chosen}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => onChoose(finding)}
          >
            <Icon name={finding.icon} />
            <span class="found-title">{withMarks(finding)}</span>
            {finding.sub !== undefined && <span class="found-sub">{finding.sub}</span>}
          </div>
        </div>
      ))}
    </div>
  );
}
