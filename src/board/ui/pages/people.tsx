/** People who may talk to the viber, pairing requests, linked accounts and logins. */
import type { JSX } from 'preact';
import { api } from '../net/api.ts';
import { usePages } from '../net/resource.ts';
import { browserName } from '../parts/browser-name.ts';
import { Button, More, PageHead, Pill, Section, Shown } from '../parts/common.tsx';
import { showNotice, showProblem } from '../parts/notices.tsx';
import { Time } from '../parts/time.tsx';
import { words } from '../words.ts';
import { pageWords } from '../words-pages.ts';

interface PeopleData {
  people: readonly { name: string; role: 'owner' | 'member' | 'guest'; ids: readonly string[] }[];
  pairing: readonly { code: string; name: string; channel: string; id: string; at: string }[];
  links: readonly { person: string; ids: readonly string[] }[];
  sessions: readonly {
    id: string;
    agent?: string;
    name?: string;
    createdAt: string;
    lastSeenAt: string;
    isThis?: boolean;
  }[];
}

const BY_LINK = { next: 'nextLink', after: 'afterLink' };

export function People(): JSX.Element {
  const people = usePages<PeopleData>('/api/people', 'people');
  const links = usePages<PeopleData>('/api/people', 'links', undefined, BY_LINK);
  const act: Act = async (path, method, body, told) => {
    try {
      await api(path, { method, ...(body === undefined ? {} : { body }) });
      showNotice(told);
    } catch (error) {
      showProblem(error);
    }
    await people.refresh();
  };
  return (
    <>
      <PageHead title={pageWords.people.title} />
      <Shown of={people} rows={8}>
        {(found) => (
          <>
            <Asking pairing={found.pairing} act={act} />
            <Section title={pageWords.people.people}>
              <Known people={found.people} />
              <More of={people} />
            </Section>
            <Section title={pageWords.people.links}>
              <Linked links={links.data.value?.links ?? found.links} />
              <More of={links} />
            </Section>
            <Section title={pageWords.people.sessions}>
              <ul class="rows">
                {found.sessions.map((session) => (
                  <SessionRow key={session.id} session={session} act={act} />
                ))}
              </ul>
            </Section>
          </>
        )}
      </Shown>
    </>
  );
}

/** Sends a request, shows its outcome and reloads. */
type Act = (path: string, method: 'POST' | 'DELETE', body: object | undefined, told: string) => Promise<void>;

function Asking({ pairing, act }: { pairing: PeopleData['pairing']; act: Act }): JSX.Element | null {
  if (pairing.length === 0) return null;
  const pair = (code: string, verdict: 'approve' | 'deny') => {
    const told = verdict === 'approve' ? pageWords.people.allowed : pageWords.people.refused;
    void act(`/api/pairing/${encodeURIComponent(code)}`, 'POST', { verdict }, told);
  };
  return (
    <Section title={pageWords.people.pairing}>
      <ul class="cards">
        {pairing.map(({ code, name, channel, at }) => (
          <li key={code} class="card warm">
            <div class="card-main">
              <p class="card-title">{name}</p>
              <p class="hint">
                {channel}, {code} <Time at={at} />
              </p>
            </div>
            <div class="card-actions words">
              <Button small kind="main" onClick={() => pair(code, 'approve')}>
                {pageWords.people.allow}
              </Button>
              <Button small onClick={() => pair(code, 'deny')}>
                {pageWords.people.refuse}
              </Button>
            </div>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Known({ people }: Pick<PeopleData, 'people'>): JSX.Element {
  if (people.length === 0) return <p class="hint">{pageWords.people.none}</p>;
  return (
    <ul class="rows">
      {people.map(({ name, role, ids }) => (
        <li key={ids[0] ?? name} class="row">
          <span class="face" aria-hidden="true">
            {name.charAt(0).toUpperCase()}
          </span>
          <span class="row-text">
            <span class="row-title">{name}</span>
            <span class="row-sub">{ids.join(', ')}</span>
          </span>
          <Pill kind={role === 'owner' ? 'accent' : 'plain'}>{words.role[role]}</Pill>
        </li>
      ))}
    </ul>
  );
}

function Linked({ links }: Pick<PeopleData, 'links'>): JSX.Element {
  if (links.length === 0) return <p class="hint">{pageWords.people.noLinks}</p>;
  return (
    <ul class="rows">
      {links.map(({ person, ids }) => (
        <li key={person} class="row">
          <span class="row-text">
            <span class="row-title">{person}</span>
            <span class="row-sub">{ids.join(', ')}</span>
          </span>
        </li>
      ))}
    </ul>
  );
}

function SessionRow({ session, act }: { session: PeopleData['sessions'][number]; act: Act }): JSX.Element {
  const { id, agent, name, createdAt, lastSeenAt, isThis } = session;
  const called = (agent === undefined ? name : browserName(agent)) || id;
  const revoke = () =>
    void act(`/board/session/${encodeURIComponent(id)}`, 'DELETE', undefined, pageWords.people.revoked);
  return (
    <li class="row">
      <span class="row-text">
        <span class="row-title">{called}</span>
        <span class="row-sub">
          {pageWords.people.since('')}
          <Time at={createdAt} />, {pageWords.people.seen('')}
          <Time at={lastSeenAt} />
        </span>
      </span>
      {isThis && <Pill kind="accent">{pageWords.people.here}</Pill>}
      <Button small label={`${pageWords.people.revoke}: ${called}`} onClick={revoke}>
        {pageWords.people.revoke}
      </Button>
    </li>
  );
}
