/** Shows a check's findings, and a hint when the login is too old for a change. */
import type { ComponentChildren, JSX } from 'preact';
import type { SettingsShown } from '../../../client/setup-shapes.ts';
import { Icon } from '../parts/icons.tsx';
import { settingsWords } from './words.ts';

export interface CheckLine {
  state: 'ok' | 'note' | 'wrong';
  text: string;
}

export function Findings({ lines, fix }: { lines: readonly CheckLine[]; fix?: string | undefined }): JSX.Element {
  return (
    <div class="findings" role="status">
      {lines.map(({ state, text }) => (
        <p key={text} class={`finding ${state}`}>
          <Icon name={state === 'ok' ? 'check' : state === 'note' ? 'alert' : 'cross'} />
          <span>{text}</span>
        </p>
      ))}
      {fix !== undefined && (
        <p class="finding">
          <WithLinks text={fix} />
        </p>
      )}
    </div>
  );
}

/** Addresses in a sentence of the wizard open in a new tab. */
export function WithLinks({ text }: { text: string }): JSX.Element {
  return (
    <span>
      {text.split(/(https:\/\/[^\s,]+[^\s,.])/).map((part, at) =>
        at % 2 === 1 ? (
          <a key={`${at}`} href={part} target="_blank" rel="noreferrer">
            {part}
          </a>
        ) : (
          part
        ),
      )}
    </span>
  );
}

/** Shows its content after a fresh login, or else how to get one. */
export function FreshOnly({ state, children }: { state: SettingsShown; children: ComponentChildren }): JSX.Element {
  if (state.freshUntil !== undefined) return <>{children}</>;
  return <p class="hint">{settingsWords().freshNeeded(state.loginCommand)}</p>;
}
