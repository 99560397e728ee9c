/** The frame of every page: navigation, the connection's state, and the page itself. */
import { signal, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useErrorBoundary, useRef } from 'preact/hooks';
import { isLoggedIn } from './net/api.ts';
import { connection } from './net/live.ts';
import { isOwner, me, meError, whoAmI } from './net/session.ts';
import { Tasks } from './pages/tasks.tsx';
import { Button, Empty, Loading, Problem } from './parts/common.tsx';
import { Icon, type IconName } from './parts/icons.tsx';
import { lazy } from './parts/lazy.tsx';
import { announce, Notices } from './parts/notices.tsx';
import { pageTitle, waitingTasks } from './parts/title.ts';
import { useWaiting } from './parts/waiting.ts';
import { guard, pageLink, parts, place } from './router.ts';
import { language, words } from './words.ts';

type Name =
  | 'now'
  | 'tasks'
  | 'files'
  | 'jobs'
  | 'memory'
  | 'health'
  | 'usage'
  | 'logs'
  | 'people'
  | 'skills'
  | 'agents';

interface Entry {
  name: Name;
  path: string;
  icon: IconName;
  owner: boolean;
}
const entry = (name: Name, owner = true, path: string = name): Entry => ({ name, path, icon: name, owner });

const GROUPS: readonly { label: 'work' | 'knows' | 'house'; entries: readonly Entry[] }[] = [
  { label: 'work', entries: [entry('now', false, ''), entry('tasks', false), entry('jobs')] },
  {
    label: 'knows',
    entries: [entry('files'), entry('memory'), entry('skills'), entry('agents')],
  },
  { label: 'house', entries: [entry('health'), entry('usage'), entry('logs'), entry('people')] },
];
const ALL = GROUPS.flatMap(({ entries }) => entries);

const Login = lazy(() => import('./pages/login.tsx').then(({ Login }) => Login));
const Now = lazy(() => import('./pages/now.tsx').then(({ Now }) => Now));
const Task = lazy(() => import('./pages/task.tsx').then(({ Task }) => Task));
const Files = lazy(() => import('./pages/files.tsx').then(({ Files }) => Files));
const Jobs = lazy(() => import('./pages/jobs.tsx').then(({ Jobs }) => Jobs));
const Memory = lazy(() => import('./pages/memory.tsx').then(({ Memory }) => Memory));
const Health = lazy(() => import('./pages/health.tsx').then(({ Health }) => Health));
const Usage = lazy(() => import('./pages/usage.tsx').then(({ Usage }) => Usage));
const Logs = lazy(() => import('./pages/logs.tsx').then(({ Logs }) => Logs));
const People = lazy(() => import('./pages/people.tsx').then(({ People }) => People));
const Skills = lazy(() => import('./pages/skills.tsx').then(({ Skills }) => Skills));
const Agents = lazy(() => import('./pages/agents.tsx').then(({ Agents }) => Agents));

function Page(): JSX.Element {
  const [first = '', second] = parts.value;
  const id = second === undefined || second === '' ? undefined : decodeURIComponent(second);
  if (ALL.some(({ path, owner }) => path === first && owner) && !isOwner())
    return <Empty icon="people" title={words.owners} />;
  switch (first) {
    case '':
    case 'login':
      return <Now />;
    case 'tasks':
      return id === undefined ? <Tasks /> : <Task key={id} taskId={id} />;
    case 'files':
      return <Files />;
    case 'jobs':
      return <Jobs />;
    case 'memory':
      return <Memory />;
    case 'health':
      return <Health />;
    case 'usage':
      return <Usage />;
    case 'logs':
      return <Logs />;
    case 'people':
      return <People />;
    case 'skills':
      return <Skills />;
    case 'agents':
      return <Agents />;
    default:
      return (
        <Empty title={words.errors.notFound}>
          <a class="button plain" href={pageLink('')}>
            {words.errors.toNow}
          </a>
        </Empty>
      );
  }
}

/** Renders everything anew in another language. */
export const Shell = (): JSX.Element => <Frame key={language.value} />;

function Frame(): JSX.Element {
  useEffect(() => void whoAmI(), []);
  if (isLoggedIn.value === false || parts.value[0] === 'login')
    return (
      <>
        <Login />
        <Notices />
      </>
    );
  return (
    <div class="shell">
      <a class="skip" href="#page">
        {words.skip}
      </a>
      <Side />
      <div class="page-box">
        <Lost />
        {me.value !== undefined && <Counting />}
        <main id="page" class={`page page-${parts.value[0] === '' ? 'now' : parts.value[0]}`} tabIndex={-1}>
          <Content />
        </main>
      </div>
      <Foot />
      <Notices />
    </div>
  );
}

/** The page; an error in it leaves the navigation usable. */
function Content(): JSX.Element {
  const [error, reset] = useErrorBoundary();
  const { path } = place.value;
  const shown = useRef(path);
  useEffect(() => {
    const found = ALL.find((one) => one.path === parts.value[0]);
    pageTitle.value =
      found === undefined || found.path === '' ? words.product : `${words.nav[found.name]} – ${words.product}`;
    if (shown.current === path) return;
    shown.current = path;
    guard.ask = undefined;
    // Screen readers and keyboard users start at the top of the new page.
    document.querySelector<HTMLElement>('#page')?.focus({ preventScroll: true });
    announce(pageTitle.peek());
    reset();
  }, [path, reset]);
  if (error !== undefined) return <Problem error={new Error(words.errors.page)} retry={() => location.reload()} />;
  if (me.value !== undefined) return <Page />;
  return meError.value === undefined ? (
    <Loading rows={8} />
  ) : (
    <Problem error={meError.value} retry={() => void whoAmI()} />
  );
}

const isHere = ({ path }: Entry): 'page' | undefined => (parts.value[0] === path ? 'page' : undefined);
const visibleEntries = (entries: readonly Entry[]): readonly Entry[] =>
  entries.filter(({ owner }) => !owner || me.value === undefined || isOwner());

function Side(): JSX.Element {
  return (
    <div class="side">
      <a class="brand" href={pageLink('')}>
        <span class="mark" aria-hidden="true" />
        {words.product}
      </a>
      <nav aria-label={words.nav.label}>
        {GROUPS.map(({ label, entries }) => (
          <div key={label} class="nav-group">
            <p class="nav-label">{words.nav[label]}</p>
            <ul>
              {visibleEntries(entries).map((one) => (
                <li key={one.name}>
                  <a href={pageLink(one.path)} aria-current={isHere(one)}>
                    <Icon name={one.icon} />
                    {words.nav[one.name]}
                    {one.name === 'now' && <Badge />}
                  </a>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      <Who />
    </div>
  );
}

/** The number of tasks that wait for this person. */
function Badge(): JSX.Element | null {
  const count = waitingTasks.value;
  if (count === 0) return null;
  return (
    <span class="badge" title={words.now.count(count)}>
      <span aria-hidden="true">{count}</span>
      <span class="hidden">{words.now.count(count)}</span>
    </span>
  );
}

/** Updates the count in the navigation and the title, whatever page is shown. */
function Counting(): null {
  const { all } = useWaiting();
  const count = new Set(all.map(({ taskId }) => taskId)).size;
  useEffect(() => {
    waitingTasks.value = count;
  }, [count]);
  return null;
}

function Who(): JSX.Element {
  const who = me.value;
  return (
    <div class="who">
      {who !== undefined && (
        <span class="who-name">
          {who.name}
          <span class="who-role">{words.role[who.role]}</span>
        </span>
      )}
      <Theme />
    </div>
  );
}

const THEMES = ['auto', 'light', 'dark'] as const;
type ThemeName = (typeof THEMES)[number];
const THEME_ICONS = { auto: 'auto', light: 'sun', dark: 'moon' } as const;
const kept = localStorage.getItem('viber-theme');
const theme = signal<ThemeName>(kept === 'light' || kept === 'dark' ? kept : 'auto');

function Theme(): JSX.Element {
  const now = theme.value;
  useEffect(() => {
    if (now === 'auto') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = now;
    localStorage.setItem('viber-theme', now);
  }, [now]);
  const next = THEMES[(THEMES.indexOf(now) + 1) % THEMES.length] ?? 'auto';
  return (
    <Button kind="quiet" icon={THEME_ICONS[now]} label={words.nav.theme[now]} onClick={() => (theme.value = next)} />
  );
}

/** The navigation on narrow screens: the most used pages, and a sheet with all of them. */
function Foot(): JSX.Element {
  const isOpen = useSignal(false);
  const first = visibleEntries(ALL.filter(({ name }) => ['now', 'tasks', 'jobs', 'memory'].includes(name)));
  const rest = visibleEntries(ALL.filter((one) => !first.includes(one)));
  const { path } = place.value;
  useEffect(() => {
    isOpen.value = false;
  }, [path]);
  return (
    <nav class="foot" aria-label={words.nav.label}>
      {isOpen.value && (
        <div class="sheet">
          <ul>
            {rest.map((one) => (
              <li key={one.name}>
                <a href={pageLink(one.path)} aria-current={isHere(one)}>
                  <Icon name={one.icon} />
                  {words.nav[one.name]}
                </a>
              </li>
            ))}
          </ul>
          <Who />
        </div>
      )}
      <ul>
        {first.map((one) => (
          <li key={one.name}>
            <a href={pageLink(one.path)} aria-current={isHere(one)}>
              <Icon name={one.icon} size={20} />
              {words.nav[one.name]}
              {one.name === 'now' && <Badge />}
            </a>
          </li>
        ))}
        <li>
          <button type="button" aria-expanded={isOpen.value} onClick={() => (isOpen.value = !isOpen.value)}>
            <Icon name="more" size={20} />
            {words.nav.more}
          </button>
        </li>
      </ul>
    </nav>
  );
}

const LOST_AFTER_MS = 1_500;

/** Shows a connection that is lost for longer than a moment, and announces its return. */
function Lost(): JSX.Element | null {
  const isLost = useSignal(false);
  const state = connection.value;
  useEffect(() => {
    if (state !== 'lost') {
      if (isLost.peek()) announce(words.connection.back);
      isLost.value = false;
      return;
    }
    const timer = setTimeout(() => {
      isLost.value = true;
      announce(words.connection.lost);
    }, LOST_AFTER_MS);
    return () => clearTimeout(timer);
  }, [state, isLost]);
  if (!isLost.value) return null;
  return (
    <div class="lost">
      <span class="pulse" aria-hidden="true" />
      {words.connection.lost}
    </div>
  );
}
