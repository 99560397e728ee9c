/** Shows all settings as forms made from their schema; errors of a change appear at its field. */
import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { SettingProblem, SettingShown, SettingsShown } from '../../../client/setup-shapes.ts';
import { ApiError, api } from '../net/api.ts';
import type { Resource } from '../net/resource.ts';
import { Button, Empty } from '../parts/common.tsx';
import { confirm, showNotice, showProblem } from '../parts/notices.tsx';
import { guard, place } from '../router.ts';
import { type Draft, Field, settingPath } from './field.tsx';
import { settingsWords } from './words.ts';

const drafts = signal<ReadonlyMap<string, Draft>>(new Map());
const problems = signal<ReadonlyMap<string, string>>(new Map());
const wanted = signal('');
const isSaving = signal(false);

const settingGroup = ({ path: [first = '', ...rest] }: SettingShown): string => {
  if (rest.length > 0) return first;
  return /model|fallback/.test(first) ? 'model' : 'general';
};

/** Settings that people change most come first. */
const ORDER = ['general', 'model', 'limits', 'memory', 'history', 'channels', 'search', 'web', 'voice'];
const groupRank = (group: string): number => (ORDER.includes(group) ? ORDER.indexOf(group) : ORDER.length);

export function General({ of: found, state }: { of: Resource<SettingsShown>; state: SettingsShown }): JSX.Element {
  const words = settingsWords();
  const asked = place.value.query.get('find');
  useEffect(() => {
    if (asked !== null) wanted.value = asked;
  }, [asked]);
  useEffect(() => {
    guard.ask = async () => {
      if (drafts.peek().size === 0) return true;
      const { unsaved, unsavedHint, leave, stay } = settingsWords();
      const isLeaving = await confirm({ title: unsaved, hint: unsavedHint, yes: leave, no: stay });
      if (isLeaving) discardDrafts();
      return isLeaving;
    };
    return () => {
      guard.ask = undefined;
    };
  }, []);
  const text = wanted.value.trim().toLowerCase();
  const fits = (setting: SettingShown) =>
    text
      .split(/\s+/)
      .every((word) => [settingPath(setting), setting.label, setting.about].join(' ').toLowerCase().includes(word));
  // A link names one setting, or a value within one.
  const isLinked = (setting: SettingShown) =>
    wanted.value === asked && `${asked}.`.startsWith(`${settingPath(setting)}.`);
  const linked = state.settings.filter(isLinked);
  const all = linked.length > 0 ? linked : state.settings.filter(fits);
  const groups = [...Map.groupBy(all, settingGroup)].sort(([a], [b]) => groupRank(a) - groupRank(b));
  return (
    <form
      class="settings-form"
      onKeyDown={(event) => {
        if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey) || event.altKey) return;
        event.preventDefault();
        event.currentTarget.requestSubmit();
      }}
      onSubmit={(event) => {
        event.preventDefault();
        void saveDrafts(found, state);
      }}
    >
      {state.problems.length > 0 && <Broken state={state} />}
      <input
        type="search"
        class="settings-search"
        aria-label={words.search}
        placeholder={words.search}
        value={wanted.value}
        onInput={({ currentTarget: { value } }) => (wanted.value = value)}
      />
      {state.freshUntil === undefined && <p class="hint">{words.fresh(state.loginCommand)}</p>}
      {groups.length === 0 && <Empty icon="search" title={words.none} />}
      {groups.map(([group, settings]) => (
        <Group key={group} name={group} settings={settings} state={state} isOpen={text !== '' || group === 'general'} />
      ))}
      <SaveBar onDiscard={discardDrafts} />
    </form>
  );
}

function Broken({ state }: { state: SettingsShown }): JSX.Element {
  return (
    <div class="problem" role="alert">
      <div>
        <p class="problem-title">{settingsWords().broken(state.file)}</p>
        {state.problems.map(({ path, message }) => (
          <p key={`${path} ${message}`}>{path === '' ? message : `${path}: ${message}`}</p>
        ))}
      </div>
    </div>
  );
}

interface GroupProps {
  name: string;
  settings: readonly SettingShown[];
  state: SettingsShown;
  isOpen: boolean;
}

function Group({ name, settings, state, isOpen }: GroupProps): JSX.Element {
  const words = settingsWords();
  const isOurs = ({ level, kind }: SettingShown) => level !== 'machine' && kind !== 'other';
  const open = settings.filter(isOurs);
  const shut = settings.filter((setting) => !isOurs(setting));
  const field = (setting: SettingShown) => (
    <Field
      key={settingPath(setting)}
      setting={setting}
      draft={drafts.value.get(settingPath(setting))}
      problem={problems.value.get(settingPath(setting))}
      isFresh={state.freshUntil !== undefined}
      onDraft={(draft) => keepDraft(settingPath(setting), draft)}
    />
  );
  const hasProblem = settings.some((setting) => problems.value.has(settingPath(setting)));
  return (
    <details class="settings-group" open={isOpen || hasProblem}>
      <summary>
        <h2>{words.group[name] ?? name}</h2>
      </summary>
      {open.map(field)}
      {shut.length > 0 && (
        <div class="settings-shut">
          <h3>{words.onMachine}</h3>
          <p class="hint">{words.onMachineHint(state.file)}</p>
          {shut.map(field)}
        </div>
      )}
    </details>
  );
}

function SaveBar({ onDiscard }: { onDiscard: () => void }): JSX.Element | null {
  const words = settingsWords();
  const { size } = drafts.value;
  if (size === 0) return null;
  return (
    <div class="settings-foot">
      <Button type="submit" kind="main" disabled={isSaving.value}>
        {words.save(size)}
      </Button>
      <Button onClick={onDiscard}>{words.discard}</Button>
    </div>
  );
}

function keepDraft(name: string, draft: Draft | undefined): void {
  const next = new Map(drafts.value);
  if (draft === undefined) next.delete(name);
  else next.set(name, draft);
  drafts.value = next;
  const left = new Map(problems.value);
  left.delete(name);
  problems.value = left;
}

function discardDrafts(): void {
  drafts.value = new Map();
  problems.value = new Map();
}

async function saveDrafts(found: Resource<SettingsShown>, state: SettingsShown): Promise<void> {
  const changes = state.settings.flatMap(({ path }) => {
    const value = drafts.value.get(path.join('.'));
    return value === undefined ? [] : [{ path, value }];
  });
  if (changes.length === 0 || isSaving.value) return;
  isSaving.value = true;
  try {
    found.data.value = await api<SettingsShown>('/api/setup', { method: 'PUT', body: { hash: state.hash, changes } });
    discardDrafts();
    showNotice(settingsWords().saved);
  } catch (error) {
    await showRefusal(error, found);
  } finally {
    isSaving.value = false;
  }
}

async function showRefusal(error: unknown, found: Resource<SettingsShown>): Promise<void> {
  if (!(error instanceof ApiError)) return showProblem(error);
  if (error.status === 409 && error.code === 'conflict') {
    showNotice(settingsWords().conflict, { warm: true });
    return found.refresh();
  }
  const given = error.body.problems;
  const list = (Array.isArray(given) ? given : []) as SettingProblem[];
  const { field } = (error.body.error ?? {}) as { field?: string };
  problems.value = new Map(
    list.length > 0 ? list.map(({ path, message }) => [path, message]) : field ? [[field, error.message]] : [],
  );
  showProblem(error);
  // The person continues at the first wrong field.
  requestAnimationFrame(() => document.querySelector<HTMLElement>('.setting [aria-invalid="true"]')?.focus());
}
