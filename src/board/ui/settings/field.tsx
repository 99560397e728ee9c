/** One setting: its name, what it means, and the input that its kind needs. */
import type { JSX } from 'preact';
import type { SettingShown, SettingValue } from '../../../client/setup-shapes.ts';
import { Button, Pill } from '../parts/common.tsx';
import { settingsWords } from './words.ts';

export const settingPath = ({ path }: SettingShown): string => path.join('.');

/** Writes `costPerDay` and `max_steps` as words. */
export const spellKey = (key: string): string => {
  const text = key.replaceAll('_', ' ').replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return text.charAt(0).toUpperCase() + text.slice(1);
};

/** Shows a description with its code; its links are dropped, because the Board doesn't serve those pages. */
export function About({ text, isEnglish }: { text: string; isEnglish: boolean }): JSX.Element {
  const plain = text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  return (
    <span lang={isEnglish ? 'en' : undefined}>
      {plain.split('`').map((part, at) => (at % 2 === 1 ? <code key={`${at}`}>{part}</code> : part))}
    </span>
  );
}

export const shownDraft = (value: SettingValue | undefined): string => {
  const words = settingsWords();
  if (value === undefined) return words.notSet;
  if (typeof value === 'boolean') return value ? words.yes : words.no;
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  return value.length === 0 ? words.notSet : value.join(', ');
};

export type Draft = string | number | boolean | string[] | null;

interface FieldProps {
  setting: SettingShown;
  draft: Draft | undefined;
  problem: string | undefined;
  isFresh: boolean;
  onDraft: (draft: Draft | undefined) => void;
}

export function Field({ setting, draft, problem, isFresh, onDraft }: FieldProps): JSX.Element {
  const words = settingsWords();
  const name = settingPath(setting);
  const id = `s-${name}`;
  const { level, about, usual, isSet, isSecret } = setting;
  const isShut = level === 'machine' || setting.kind === 'other' || (level === 'login' && !isFresh);
  const isChanged = draft !== undefined;
  return (
    <div class={`setting${isChanged ? ' changed' : ''}`}>
      <div class="setting-head">
        <label for={id}>{setting.label ?? spellKey(setting.path.slice(1).join(' · ') || name)}</label>
        <code class="setting-key">{name}</code>
        {level === 'login' && !isFresh && <Pill>{words.freshShort}</Pill>}
      </div>
      {about !== undefined && (
        <p class="hint" id={`${id}-about`}>
          <About text={about} isEnglish={setting.label === undefined} />
        </p>
      )}
      {isShut ? (
        <output id={id} class="setting-fixed">
          {isSecret ? (isSet ? '••••••••' : words.notSet) : shownDraft(setting.value ?? usual)}
        </output>
      ) : (
        <div class="setting-input">
          <Input id={id} setting={setting} draft={draft} problem={problem} onDraft={onDraft} />
          {isSet && draft !== null && (
            <Button kind="quiet" small label={words.reset(name)} onClick={() => onDraft(null)}>
              {words.resetShort}
            </Button>
          )}
        </div>
      )}
      {setting.command !== undefined && <p class="hint">{words.byCommand(setting.command)}</p>}
      {!isSecret && usual !== undefined && !isShut && <p class="hint">{words.usual(shownDraft(usual))}</p>}
      {problem !== undefined && (
        <p class="card-problem" id={`${id}-problem`} role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

interface InputProps extends Omit<FieldProps, 'isFresh'> {
  id: string;
}

/** Returns whether a draft equals the current value. */
const same = (setting: SettingShown, next: Draft): boolean =>
  JSON.stringify(next) === JSON.stringify(setting.value ?? null);

function Input({ id, setting, draft, problem, onDraft }: InputProps): JSX.Element {
  const words = settingsWords();
  const { kind, choices, usual, word, isSecret } = setting;
  const set = (next: Draft) => onDraft(same(setting, next) ? undefined : next);
  const shown = draft === null ? undefined : (draft ?? setting.value);
  const described = [
    ...(setting.about === undefined ? [] : [`${id}-about`]),
    ...(problem === undefined ? [] : [`${id}-problem`]),
  ].join(' ');
  const common = {
    id,
    'aria-invalid': problem !== undefined,
    ...(described !== '' && { 'aria-describedby': described }),
  };
  if (isSecret) return <SecretInput common={common} setting={setting} draft={draft} onDraft={onDraft} />;
  if (kind === 'flag')
    return (
      <input
        {...common}
        type="checkbox"
        checked={Boolean(shown ?? usual)}
        onChange={({ currentTarget: { checked } }) => set(checked)}
      />
    );
  if (kind === 'choice')
    return (
      <select {...common} value={String(shown ?? usual ?? '')} onChange={({ currentTarget: { value } }) => set(value)}>
        {usual === undefined && <option value="">{words.notSet}</option>}
        {choices?.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
    );
  if (kind === 'list') {
    const items = Array.isArray(shown) ? shown : [];
    return (
      <textarea
        {...common}
        rows={Math.min(8, Math.max(2, items.length + 1))}
        placeholder={words.listHint}
        spellcheck={false}
        value={items.join('\n')}
        onChange={({ currentTarget: { value } }) =>
          set(
            value
              .split('\n')
              .map((each) => each.trim())
              .filter(Boolean),
          )
        }
      />
    );
  }
  const asNumber = (text: string): Draft => (text !== word && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text);
  return (
    <input
      {...common}
      type="text"
      inputMode={kind === 'number' && word === undefined ? 'decimal' : 'text'}
      autocomplete="off"
      spellcheck={false}
      placeholder={usual === undefined ? '' : shownDraft(usual)}
      value={shown === undefined ? '' : String(shown)}
      onInput={({ currentTarget: { value } }) => {
        const text = value.trim();
        if (text === '') onDraft(setting.isSet ? null : undefined);
        else set(kind === 'number' ? asNumber(text) : text);
      }}
    />
  );
}

function SecretInput({
  common,
  setting,
  draft,
  onDraft,
}: {
  common: { id: string; 'aria-invalid': boolean; 'aria-describedby'?: string };
  setting: SettingShown;
  draft: Draft | undefined;
  onDraft: (draft: Draft | undefined) => void;
}): JSX.Element {
  const words = settingsWords();
  return (
    <span class="setting-secret">
      <input
        {...common}
        type="password"
        autocomplete="off"
        placeholder={words.secretHint}
        value={typeof draft === 'string' ? draft : ''}
        onInput={({ currentTarget: { value } }) => onDraft(value === '' ? undefined : value)}
      />
      {setting.isSet && (
        <span class="hint">{setting.variable === undefined ? words.isKept : words.inVariable(setting.variable)}</span>
      )}
    </span>
  );
}
