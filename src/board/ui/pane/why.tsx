/** Explains an answer in the wide pane: what the viber was given, what it did, and what it cost. */
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Explanation } from '../../../client/shapes.ts';
import { closeWhy, isArtifactRef, type OpenedWhy, openLink } from '../net/artifact.ts';
import { useResource } from '../net/resource.ts';
import { Shown } from '../parts/common.tsx';
import { Markdown } from '../parts/markdown.tsx';
import { pageLink } from '../router.ts';
import { words } from '../words.ts';
import { PaneFrame } from './frame.tsx';

const placeLink = (to: string): string => (isArtifactRef(to) ? openLink(to) : pageLink(to));

export function Why({ taskId, runId }: OpenedWhy): JSX.Element {
  const path = useMemo(
    () => `/api/tasks/${encodeURIComponent(taskId)}/why?run=${encodeURIComponent(runId)}`,
    [taskId, runId],
  );
  const found = useResource<Explanation>(path, (event) => 'runId' in event && event.runId === runId);
  return (
    <PaneFrame name={words.why.title} of={path} controls={<span class="grow" />} onClose={closeWhy}>
      <Shown of={found} rows={8}>
        {({ sections = [] }) =>
          sections.map(({ title, lines }) => (
            <section class="why" key={title}>
              <h3>{title}</h3>
              <ul>
                {lines.map(({ text, to, isPart }, index) => (
                  <li key={`${index}${text}`} class={isPart ? 'part' : undefined}>
                    <Markdown text={text} />
                    {to !== undefined && <a href={placeLink(to)}>{words.why.open}</a>}
                  </li>
                ))}
              </ul>
            </section>
          ))
        }
      </Shown>
    </PaneFrame>
  );
}
