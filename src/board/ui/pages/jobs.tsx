/** Scheduled jobs: next and last run, and the file with the loader's own check. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { JobCheck, JobRow, JobText } from '../../../client/shapes.ts';
import { api, said } from '../net/api.ts';
import { of, usePages, useResource } from '../net/resource.ts';
import { Button, Empty, More, PageHead, Pill, Shown } from '../parts/common.tsx';
import { Icon } from '../parts/icons.tsx';
import { lazy } from '../parts/lazy.tsx';
import { confirm, showNotice, showProblem } from '../parts/notices.tsx';
import { Time } from '../parts/time.tsx';
import { pageLink, place, taskLink } from '../router.ts';
import { words } from '../words.ts';
import { pageWords } from '../words-pages.ts';

const TextEditor = lazy(() => import('../editor/text-editor.tsx').then(({ TextEditor }) => TextEditor));
const jobApiPath = (id: string): string => `/api/jobs/${encodeURIComponent(id)}`;
const jobLink = (id: string): string => `${pageLink('jobs')}?job=${encodeURIComponent(id)}`;
const KINDS = { on: 'accent', paused: 'plain', broken: 'warm', done: 'plain' } as const;

export function Jobs(): JSX.Element {
  const id = place.value.query.get('job') ?? undefined;
  return id === undefined ? <JobList /> : <JobFile id={id} />;
}

function JobList(): JSX.Element {
  const jobs = usePages<{ jobs: readonly JobRow[] }>('/api/jobs', 'jobs', of('job:changed'));
  const isMaking = useSignal(false);
  /** Jobs that are being deleted, and hidden. */
  const going = useSignal<ReadonlySet<string>>(new Set());
  const act = async (job: JobRow, what: 'run' | 'pause' | 'resume') => {
    try {
      await api(`${jobApiPath(job.id)}/${what}`, { method: 'POST' });
      if (what === 'run') showNotice(pageWords.jobs.started(job.name));
    } catch (error) {
      showProblem(error);
    }
    await jobs.refresh();
  };
  const remove = async (job: JobRow) => {
    if (
      !(await confirm({
        title: pageWords.jobs.sure(job.name),
        hint: pageWords.jobs.sureHint,
        yes: pageWords.jobs.remove,
      }))
    )
      return;
    going.value = new Set([...going.value, job.id]);
    await api(jobApiPath(job.id), { method: 'DELETE' }).catch((error: unknown) =>
      showNotice(said(error), { warm: true }),
    );
    await jobs.refresh();
    going.value = new Set([...going.value].filter((id) => id !== job.id));
  };
  return (
    <>
      <PageHead title={pageWords.jobs.title} intro={pageWords.jobs.intro}>
        <Button icon="plus" kind={isMaking.value ? 'plain' : 'main'} onClick={() => (isMaking.value = !isMaking.value)}>
          {isMaking.value ? words.cancel : pageWords.jobs.new}
        </Button>
      </PageHead>
      {isMaking.value && (
        <NewJob
          onMade={() => {
            isMaking.value = false;
            void jobs.refresh();
          }}
        />
      )}
      <Shown of={jobs}>
        {({ jobs: all }) =>
          all.length === 0 ? (
            <Empty icon="jobs" title={pageWords.jobs.empty} hint={pageWords.jobs.emptyHint} />
          ) : (
            <ul class="cards">
              {all
                .filter(({ id }) => !going.value.has(id))
                .map((job) => (
                  <JobCard
                    key={job.id}
                    job={job}
                    onAct={(what) => void act(job, what)}
                    onRemove={() => void remove(job)}
                  />
                ))}
            </ul>
          )
        }
      </Shown>
      <More of={jobs} />
    </>
  );
}

function JobCard(props: {
  job: JobRow;
  onAct: (what: 'run' | 'pause' | 'resume') => void;
  onRemove: () => void;
}): JSX.Element {
  const { job, onAct, onRemove } = props;
  return (
    <li class={`card job ${job.state}`}>
      <div class="card-main">
        <p class="card-title">
          <a href={jobLink(job.id)}>{job.name}</a>
          {job.state !== 'on' && <Pill kind={KINDS[job.state]}>{pageWords.jobs.state[job.state]}</Pill>}
        </p>
        <p class="card-sub">
          {job.words || job.schedule}
          {job.deliver.length > 0 && <span> {pageWords.jobs.to(job.deliver.join(', '))}</span>}
        </p>
        {[job.problem ?? [], job.lacks ?? []].flat().map((line) => (
          <p key={line} class="card-problem">
            {line}
          </p>
        ))}
        {job.next.length > 0 && (
          <ul class="times" aria-label={pageWords.jobs.next}>
            {job.next.slice(0, 3).map((at) => (
              <li key={at}>
                <Time at={at} />
              </li>
            ))}
          </ul>
        )}
        {job.lastRun !== undefined && (
          <p class="hint">
            {pageWords.jobs.last}:{' '}
            <a href={taskLink(job.lastRun.task)}>{words.state[job.lastRun.state].toLowerCase()}</a>
          </p>
        )}
      </div>
      <div class="card-actions">
        <Button
          kind="quiet"
          small
          icon="play"
          disabled={!canRun(job)}
          label={`${pageWords.jobs.run}: ${job.name}`}
          onClick={() => onAct('run')}
        />
        {job.state === 'on' && (
          <Button
            kind="quiet"
            small
            icon="pause"
            label={`${pageWords.jobs.pause}: ${job.name}`}
            onClick={() => onAct('pause')}
          />
        )}
        {job.state === 'paused' && (
          <Button
            kind="quiet"
            small
            icon="again"
            label={`${pageWords.jobs.resume}: ${job.name}`}
            onClick={() => onAct('resume')}
          />
        )}
        <Button kind="quiet" small icon="trash" label={`${pageWords.jobs.remove}: ${job.name}`} onClick={onRemove} />
      </div>
    </li>
  );
}

function NewJob({ onMade }: { onMade: () => void }): JSX.Element {
  const job = useSignal({ name: '', schedule: '', prompt: '' });
  const problem = useSignal('');
  const set = (change: Partial<typeof job.value>) => {
    job.value = { ...job.value, ...change };
  };
  const make = async () => {
    try {
      await api('/api/jobs', { method: 'POST', body: job.value });
      showNotice(pageWords.jobs.made(job.value.name));
      onMade();
    } catch (error) {
      problem.value = said(error);
    }
  };
  const isWhole = Object.values(job.value).every((text) => text.trim() !== '');
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        if (isWhole) void make();
      }}
    >
      <label>
        {pageWords.jobs.name}
        <input type="text" value={job.value.name} onInput={(event) => set({ name: event.currentTarget.value })} />
      </label>
      <label>
        {pageWords.jobs.when}
        <input
          type="text"
          placeholder={pageWords.jobs.whenHint}
          value={job.value.schedule}
          onInput={(event) => set({ schedule: event.currentTarget.value })}
        />
      </label>
      <label>
        {pageWords.jobs.what}
        <textarea rows={3} value={job.value.prompt} onInput={(event) => set({ prompt: event.currentTarget.value })} />
      </label>
      {problem.value !== '' && (
        <p class="card-problem" role="alert">
          {problem.value}
        </p>
      )}
      <Button kind="main" type="submit" disabled={!isWhole}>
        {pageWords.jobs.make}
      </Button>
    </form>
  );
}

/** Returns whether the job is on and not running already. */
const canRun = (job: JobRow | undefined): boolean => job?.state === 'on' && job.lastRun?.state !== 'running';

function JobFile({ id }: { id: string }): JSX.Element {
  const path = jobApiPath(id);
  const job = useResource<JobText>(path, of('job:changed'));
  return (
    <>
      <PageHead
        title={pageWords.jobs.fileOf(id)}
        above={
          <a class="back" href={pageLink('jobs')}>
            <Icon name="left" size={14} />
            {pageWords.jobs.title}
          </a>
        }
      >
        <Button
          icon="play"
          disabled={!canRun(job.data.value?.view)}
          onClick={() => {
            api(`${path}/run`, { method: 'POST' }).then(() => showNotice(pageWords.jobs.started(id)), showProblem);
          }}
        >
          {pageWords.jobs.run}
        </Button>
      </PageHead>
      <TextEditor
        key={id}
        name={`${id}.yaml`}
        language="yaml"
        load={() => api<JobText>(path)}
        save={(text, baseHash) => api(path, { method: 'PUT', body: { text, baseHash } })}
        beside={(text) => <Check text={text} />}
      />
    </>
  );
}

const CHECK_MS = 300;

/** Shows the loader's own check of the text while it is typed. */
function Check({ text }: { text: string }): JSX.Element {
  const found = useSignal<JobCheck | undefined>(undefined);
  useEffect(() => {
    const ended = new AbortController();
    const timer = setTimeout(() => {
      api<JobCheck>('/api/jobs/check', { method: 'POST', body: { text }, signal: ended.signal }).then(
        (check) => {
          found.value = check;
        },
        (error: unknown) => {
          if (!ended.signal.aborted) found.value = { ok: false, problems: [said(error)] };
        },
      );
    }, CHECK_MS);
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
  }, [text, found]);
  const check = found.value;
  if (check === undefined) return <p class="check" role="status" />;
  if (!check.ok)
    return (
      <div class="check wrong" role="status">
        <p>
          <Icon name="alert" /> {pageWords.jobs.invalid}
        </p>
        <ul>
          {check.problems?.map((one) => (
            <li key={one}>{one}</li>
          ))}
        </ul>
      </div>
    );
  return (
    <div class="check" role="status">
      <p>
        <Icon name="check" /> {pageWords.jobs.valid}: {check.words}
      </p>
      <ul class="times" aria-label={pageWords.jobs.next}>
        {check.next?.slice(0, 3).map((at) => (
          <li key={at}>
            <Time at={at} />
          </li>
        ))}
      </ul>
    </div>
  );
}
