/** Suggestions to remember, the memory, and a search. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { MemoryHit, Suggestion } from '../../../client/shapes.ts';
import { api } from '../net/api.ts';
import { of, type Resource, usePages } from '../net/resource.ts';
import { Button, More, PageHead, Problem, Section, Shown } from '../parts/common.tsx';
import { Icon } from '../parts/icons.tsx';
import { Markdown } from '../parts/markdown.tsx';
import { showNotice, showProblem } from '../parts/notices.tsx';
import { Time } from '../parts/time.tsx';
import { ViberChoice, viberAsked, viberKept } from '../parts/viber.tsx';
import { pageLink } from '../router.ts';
import { words } from '../words.ts';
import { pageWords } from '../words-pages.ts';

interface MemoryData {
  suggestions: readonly Suggestion[];
  files: readonly { name: string; text: string }[];
}

export function Memory(): JSX.Element {
  const memory = usePages<MemoryData>(
    `/api/memory?${viberAsked()}`,
    'suggestions',
    of('memory:suggested', 'memory:decided'),
  );
  return (
    <>
      <PageHead title={pageWords.memory.title} intro={pageWords.memory.intro}>
        <ViberChoice page="memory" />
      </PageHead>
      <Search />
      <Section title={pageWords.memory.suggestions}>
        <Shown of={memory} rows={3}>
          {({ suggestions }) =>
            suggestions.length === 0 ? (
              <p class="hint">{pageWords.memory.noSuggestions}</p>
            ) : (
              <ul class="cards">
                {suggestions.map((one) => (
                  <SuggestionCard key={one.id} suggestion={one} memory={memory} />
                ))}
              </ul>
            )
          }
        </Shown>
        <More of={memory} />
      </Section>
      <Section title={pageWords.memory.files}>
        <Shown of={memory} rows={3}>
          {({ files }) => (
            <ul class="notes">
              {files.map(({ name, text }) => (
                <li key={name}>
                  <details open={name === 'MEMORY.md'}>
                    <summary>{name}</summary>
                    <Markdown text={text} />
                    {name === 'MEMORY.md' && (
                      <a class="text-button" href={`${pageLink('files')}?file=${name}${viberKept()}`}>
                        {pageWords.jobs.edit}
                      </a>
                    )}
                  </details>
                </li>
              ))}
            </ul>
          )}
        </Shown>
      </Section>
    </>
  );
}

function SuggestionCard({ suggestion, memory }: { suggestion: Suggestion; memory: Resource<MemoryData> }): JSX.Element {
  const { id, section, text, createdAt, provenance } = suggestion;
  const draft = useSignal<string | undefined>(undefined);
  const undo = async () => {
    await api(`/api/memory/undo?${viberAsked()}`, { method: 'POST' }).then(
      () => showNotice(pageWords.memory.undone),
      showProblem,
    );
    await memory.refresh();
  };
  const decide = async (verdict: 'accept' | 'edit' | 'reject') => {
    try {
      const body = verdict === 'edit' ? { verdict, text: draft.value } : { verdict };
      await api(`/api/memory/suggestions/${encodeURIComponent(id)}?${viberAsked()}`, { method: 'POST', body });
      if (verdict === 'reject') showNotice(pageWords.memory.dropped);
      else showNotice(pageWords.memory.remembered, { action: { label: words.undo, act: () => void undo() } });
    } catch (error) {
      showProblem(error);
    }
    await memory.refresh();
  };
  return (
    <li class="card">
      <div class="card-main">
        {draft.value === undefined ? (
          <Markdown text={text} />
        ) : (
          <textarea
            rows={3}
            aria-label={pageWords.memory.edit}
            value={draft.value}
            onInput={(event) => (draft.value = event.currentTarget.value)}
          />
        )}
        <p class="hint">
          {[section === undefined ? '' : pageWords.memory.under(section), provenance ?? '']
            .filter((part) => part !== '')
            .join(' · ')}
          {createdAt !== undefined && ' · '}
          <Time at={createdAt} />
        </p>
      </div>
      <div class="card-actions words">
        <Button small kind="main" onClick={() => void decide(draft.value === undefined ? 'accept' : 'edit')}>
          {pageWords.memory.accept}
        </Button>
        <Button
          small
          icon="edit"
          label={pageWords.memory.edit}
          kind="quiet"
          onClick={() => (draft.value = draft.value === undefined ? text : undefined)}
        />
        <Button small onClick={() => void decide('reject')}>
          {pageWords.memory.reject}
        </Button>
      </div>
    </li>
  );
}

const TYPING_MS = 250;

function Search(): JSX.Element {
  const query = useSignal('');
  const hits = useSignal<readonly MemoryHit[] | undefined>(undefined);
  const problem = useSignal<unknown>(undefined);
  const asked = query.value.trim();
  useEffect(() => {
    if (asked === '') {
      hits.value = undefined;
      return undefined;
    }
    const ended = new AbortController();
    const timer = setTimeout(() => {
      api<{ results: readonly MemoryHit[] }>(`/api/memory/search?q=${encodeURIComponent(asked)}&${viberAsked()}`, {
        signal: ended.signal,
      }).then(
        (found) => {
          hits.value = found.results;
          problem.value = undefined;
        },
        (error: unknown) => {
          if (!ended.signal.aborted) problem.value = error;
        },
      );
    }, TYPING_MS);
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
  }, [asked, hits, problem]);
  return (
    <div class="search">
      <div class="search-box">
        <Icon name="search" />
        <input
          type="search"
          aria-label={pageWords.memory.search}
          placeholder={pageWords.memory.searchHint}
          value={query.value}
          onInput={(event) => (query.value = event.currentTarget.value)}
        />
      </div>
      {problem.value !== undefined && <Problem error={problem.value} />}
      {hits.value !== undefined && (
        <ul class="hits" aria-live="polite">
          {hits.value.length === 0 && <li class="hint">{pageWords.memory.noHits(asked)}</li>}
          {hits.value.map((hit) => (
            <li key={`${hit.source_file}${hit.content}`}>
              <Markdown text={hit.content} />
              <p class="hint">{[hit.source_file, hit.section, hit.date].filter(Boolean).join(', ')}</p>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
