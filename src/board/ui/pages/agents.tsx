/** The vibers and the playbooks. */
import type { JSX } from 'preact';
import { useResource } from '../net/resource.ts';
import { me } from '../net/session.ts';
import { PageHead, Pill, Section, Shown } from '../parts/common.tsx';
import { pageWords } from '../words-pages.ts';

interface AgentsData {
  vibers: readonly { id: string; model?: string; description?: string }[];
  playbooks: readonly { name: string; goal?: string; steps?: number; problem?: string }[];
}

export function Agents(): JSX.Element {
  const agents = useResource<AgentsData>('/api/agents');
  return (
    <>
      <PageHead title={pageWords.agents.title} intro={pageWords.agents.intro} />
      <Shown of={agents} rows={6}>
        {({ vibers, playbooks }) => (
          <>
            <Section title={pageWords.agents.vibers}>
              {vibers.length === 0 && <p class="hint">{pageWords.agents.none}</p>}
              <ul class="rows">
                {vibers.map(({ id, model, description }) => (
                  <li key={id} class="row">
                    <span class="face" aria-hidden="true">
                      {id.charAt(0).toUpperCase()}
                    </span>
                    <span class="row-text">
                      <span class="row-title">{id}</span>
                      <span class="row-sub">{[description, model].filter(Boolean).join(', ')}</span>
                    </span>
                    {id === me.value?.viber && <Pill kind="accent">{pageWords.agents.usual}</Pill>}
                  </li>
                ))}
              </ul>
            </Section>
            <Section title={pageWords.agents.playbooks}>
              {playbooks.length === 0 && <p class="hint">{pageWords.agents.noPlaybooks}</p>}
              <ul class="rows">
                {playbooks.map(({ name, goal, steps, problem }) => (
                  <li key={name} class="row">
                    <span class="row-text">
                      <span class="row-title">{name}</span>
                      <span class="row-sub">{problem ?? goal}</span>
                    </span>
                    {steps !== undefined && <span class="row-end">{pageWords.agents.steps(steps)}</span>}
                  </li>
                ))}
              </ul>
            </Section>
          </>
        )}
      </Shown>
    </>
  );
}
