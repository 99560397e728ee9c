/** The frame of every page: navigation, the connection's state, and the page itself. */
import { signal, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useErrorBoundary, useRef } from 'preact/hooks';
import { isLoggedIn, isUnreachable } from './net/api.ts';
import { connection } from './net/live.ts';
import { isOwner, me, meError, whoAmI } from './net/session.ts';
import { Tasks } from './pages/tasks.tsx';
import { Button, Empty, Loading, Problem } from './parts/common.tsx';
import { Icon } from './parts/icons.tsx';
import { isBeginning } from './parts/keys.ts';
import { lazy } from './parts/lazy.tsx';
import { announce, Notices } from './parts/notices.tsx';
import { Overlays, SearchButton } from './parts/overlays.tsx';
import { pageTitle, waitingTasks } from './parts/title.ts';
import { useWaiting } from './parts/waiting.ts';
import { guard, pageLink, parts, place } from './router.ts';
import { language, words } from './words.ts';

const Login = lazy(() => import('./pages/login.tsx').then(({ Login }) => Login));
const Task = lazy(() => import('./pages/task.tsx').then(({ Task }) => Task));
const PAGES = {
  now: lazy(() => import('./pages/now.tsx').then(({ Now }) => Now)),
  tasks: Tasks,
  jobs: lazy(() => import('./pages/jobs.tsx').then(({ Jobs }) => Jobs)),
  files: lazy(() => import('./pages/files.tsx').then(({ Files }) => Files)),
  memory: lazy(() => import('./pages/memory.tsx').then(({ Memory }) => Memory)),
  skills: lazy(() => import('./pages/skills.tsx').then(({ Skills }) => Skills)),
  agents: lazy(() => import('./pages/agents.tsx').then(({ Agents }) => Agents)),
  health: lazy(() => import('./pages/health.tsx').then(({ Health }) => Health)),
  usage: lazy(() => import('./pages/usage.tsx').then(({ Usage }) => Usage)),
  logs: lazy(() => import('./pages/logs.tsx').then(({ Logs }) => Logs)),
  settings: lazy(() => import('./pages/settings.tsx').then(({ SettingsPage }) => SettingsPage)),
  people: lazy(() => import('./pages/people.tsx').then(({ People }) => People)),
};
type Name = keyof typeof PAGES;

const GROUPS = [
  { label: 'work', names: ['now', 'tasks', 'jobs'] },
  { label: 'knows', names: ['files', 'memory', 'skills', 'agents'] },
  { label: 'system', names: ['settings', 'health', 'usage', 'logs', 'people'] },
] as const satisfies readonly { label: string; names: readonly Name[] }[];
const ALL: readonly Name[] = GROUPS.flatMap(({ names }) => names);
const isForOwners = (name: Name): boolean => name !== 'now' && name !== 'tasks';
const pathOf = (name: Name): string => (name === 'now' ? '' : name);
const pageNamed = (path = ''): Name | undefined => ALL.find((name) => pathOf(name) === path);

function Page(): JSX.Element {
  const [first = '', id = ''] = parts.value;
  const name = pageNamed(first);
  if (name === undefined)
    return (
      <Empty title={words.errors.notFound}>
        <a class="button plain" href={pageLink('')}>
          {words.errors.toNow}
        </a>
      </Empty>
    );
  if (isForOwners(name) && !isOwner()) return <Empty icon="people" title={words.owners} />;
  if (name === 'tasks' && id !== '') return <Task key={id} taskId={id} />;
  const Shown = PAGES[name];
  return <Shown />;
}

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
        <main id="page" class={`page page-${pageNamed(parts.value[0]) ?? 'missing'}`} tabIndex={-1}>
          <Content />
        </main>
      </div>
      <Foot />
      {me.value !== undefined && <Overlays />}
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
    const name = pageNamed(parts.value[0]);
    pageTitle.value = name === undefined || name === 'now' ? words.product : `${words.nav[name]} – ${words.product}`;
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
  if (meError.value === undefined) return <Loading rows={8} />;
  if (isUnreachable(meError.value)) return <Empty title={words.errors.unreachable} />;
  return <Problem error={meError.value} retry={() => void whoAmI()} />;
}

const visible = (names: readonly Name[]): readonly Name[] =>
  names.filter((name) => !isForOwners(name) || me.value === undefined || isOwner());

const NavItem = ({ name, size = 16 }: { name: Name; size?: number }): JSX.Element => (
  <li>
    <a href={pageLink(pathOf(name))} aria-current={parts.value[0] === pathOf(name) ? 'page' : undefined}>
      <Icon name={name} size={size} />
      {words.nav[name]}
      {name === 'now' && <Badge />}
    </a>
  </li>
);

function Side(): JSX.Element {
  return (
    <div class="side">
      <a class="brand" href={pageLink('')}>
        <span class="mark" aria-hidden="true" />
        {words.product}
      </a>
      {me.value !== undefined && (
        <Button icon="plus" onClick={() => (isBeginning.value = true)}>
          {words.begin.title}
          <kbd>{words.begin.key}</kbd>
        </Button>
      )}
      {me.value !== undefined && <SearchButton />}
      <nav aria-label={words.nav.label}>
        {GROUPS.map(({ label, names }) => (
          <div key={label} class="nav-group">
            <p class="nav-label">{words.nav[label]}</p>
            <ul>
              {visible(names).map((name) => (
                <NavItem key={name} name={name} />
              ))}
            </ul>
          </div>
        ))}
      </nav>
      <Who />
    </div>
  );
}

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
    for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]')) {
      const isDark = now === 'auto' ? meta.media.includes('dark') : now === 'dark';
      meta.content = isDark ? '#17181b' : '#ffffff';
    }
  }, [now]);
  const next = THEMES[(THEMES.indexOf(now) + 1) % THEMES.length] ?? 'auto';
  return (
    <Button kind="quiet" icon={THEME_ICONS[now]} label={words.nav.theme[now]} onClick={() => (theme.value = next)} />
  );
}

/** The navigation on narrow screens: the most used pages, and a sheet with all of them. */
function Foot(): JSX.Element {
  const isOpen = useSignal(false);
  const first = visible(['now', 'tasks', 'jobs', 'memory']);
  const rest = visible(ALL).filter((name) => !first.includes(name));
  const { path } = place.value;
  useEffect(() => {
    isOpen.value = false;
  }, [path]);
  return (
    <nav class="foot" aria-label={words.nav.label}>
      {isOpen.value && (
        <div class="sheet">
          <SearchButton />
          <ul>
            {rest.map((name) => (
              <NavItem key={name} name={name} />
            ))}
          </ul>
          <Who />
        </div>
      )}
      <ul>
        {first.map((name) => (
          <NavItem key={name} name={name} size={20} />
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
