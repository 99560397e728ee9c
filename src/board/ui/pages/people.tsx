/** Who may talk to the viber, who asks to, whose accounts are one person, and where one is logged in. */
import type { JSX } from 'preact';
import { api, said } from '../net/api.ts';
import { useResource } from '../net/resource.ts';
import { Button, PageHead, Pill, Section, Shown } from '../parts/common.tsx';
import { note } from '../parts/notices.tsx';
import { Time } from '../parts/time.tsx';
import { words } from '../words.ts';

interface PeopleData {
  people: readonly { name: string; role: 'owner' | 'member' | 'guest'; ids?: readonly string[] }[];
  pairing: readonly { code: string; name?: string; channel?: string; id?: string; at?: string }[];
  links: readonly { person?: string; name?: string; ids?: readonly string[] }[];
  sessions: readonly {
    id: string;
    agent?: string;
    name?: string;
    createdAt?: string;
    lastSeenAt?: string;
    isThis?: boolean;
  }[];
}

export function People(): JSX.Element {
  const people = useResource<PeopleData>('/api/people');
  const act = async (path: string, method: 'POST' | 'DELETE', body: object | undefined, told: string) => {
    try {
      await api(path, { method, ...(body === undefined ? {} : { body }) });
      note(told);
    } catch (error) {
      note(said(error), { warm: true });
    }
    await people.refresh();
  };
  const pair = (code: string, verdict: 'approve' | 'deny') =>
    void act(
      `/api/pairing/${encodeURIComponent(code)}`,
      'POST',
      { verdict },
      verdict === 'approve' ? words.people.allowed : words.people.refused,
    );
  return (
    <>
      <PageHead title={words.people.title} />
      <Shown of={people} rows={8}>
        {(found) => (
          <>
            {found.pairing.length > 0 && (
              <Section title={words.people.pairing}>
                <ul class="cards">
                  {found.pairing.map(({ code, name, channel, id, at }) => (
                    <li key={code} class="card warm">
                      <div class="card-main">
                        <p class="card-title">{name ?? id ?? code}</p>
                        <p class="hint">
                          {[channel, code].filter(Boolean).join(', ')} <Time at={at} />
                        </p>
                      </div>
                      <div class="card-actions words">
                        <Button small kind="main" onClick={() => pair(code, 'approve')}>
                          {words.people.allow}
                        </Button>
                        <Button small onClick={() => pair(code, 'deny')}>
                          {words.people.refuse}
                        </Button>
                      </div>
                    </li>
                  ))}
                </ul>
              </Section>
            )}
            <Section title={words.people.people}>
              {found.people.length === 0 && <p class="hint">{words.people.none}</p>}
              <ul class="rows">
                {found.people.map(({ name, role, ids = [] }) => (
                  <li key={name} class="row">
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
            </Section>
            <Section title={words.people.links}>
              {found.links.length === 0 && <p class="hint">{words.people.noLinks}</p>}
              <ul class="rows">
                {found.links.map(({ person, name, ids = [] }) => (
                  <li key={person ?? name ?? ids.join()} class="row">
                    <span class="row-text">
                      <span class="row-title">{person ?? name}</span>
                      <span class="row-sub">{ids.join(', ')}</span>
                    </span>
                  </li>
                ))}
              </ul>
            </Section>
            <Section title={words.people.sessions}>
              <ul class="rows">
                {found.sessions.map(({ id, agent, name, createdAt, lastSeenAt, isThis }) => (
                  <li key={id} class="row">
                    <span class="row-text">
                      <span class="row-title">{agent ?? name ?? id}</span>
                      <span class="row-sub">
                        {words.people.since('')}
                        <Time at={createdAt} />
                        {lastSeenAt !== undefined && (
                          <>
                            , {words.people.seen('')}
                            <Time at={lastSeenAt} />
                          </>
                        )}
                      </span>
                    </span>
                    {isThis && <Pill kind="accent">{words.people.here}</Pill>}
                    <Button
                      small
                      label={`${words.people.revoke}: ${agent ?? name ?? id}`}
                      onClick={() =>
                        void act(`/board/session/${encodeURIComponent(id)}`, 'DELETE', undefined, words.people.revoked)
                      }
                    >
                      {words.people.revoke}
                    </Button>
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
