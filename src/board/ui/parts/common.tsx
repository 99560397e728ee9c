/** The parts of every page: heads, loading states, buttons, notes. */
import type { ComponentChildren, JSX } from 'preact';
import { said } from '../net/api.ts';
import type { Pages, Resource } from '../net/resource.ts';
import type { ShownState } from '../net/states.ts';
import { words } from '../words.ts';
import { Icon, type IconName } from './icons.tsx';

export function PageHead(props: {
  title: ComponentChildren;
  intro?: ComponentChildren;
  above?: ComponentChildren;
  children?: ComponentChildren;
}): JSX.Element {
  return (
    <header class="head">
      <div class="head-text">
        {props.above}
        <h1 tabIndex={-1}>{props.title}</h1>
        {props.intro !== undefined && <p class="intro">{props.intro}</p>}
      </div>
      {props.children !== undefined && <div class="head-actions">{props.children}</div>}
    </header>
  );
}

export type ButtonKind = 'plain' | 'main' | 'quiet' | 'warm';

export function Button(props: {
  kind?: ButtonKind;
  icon?: IconName;
  children?: ComponentChildren;
  label?: string;
  type?: 'button' | 'submit';
  disabled?: boolean | undefined;
  small?: boolean;
  pressed?: boolean;
  onClick?: (() => void) | undefined;
}): JSX.Element {
  const { kind = 'plain', icon, children, label, type = 'button', disabled, small, pressed, onClick } = props;
  const only = children === undefined ? ' only-icon' : '';
  return (
    <button
      type={type}
      class={`button ${kind}${small ? ' small' : ''}${only}`}
      aria-label={label}
      title={children === undefined ? label : undefined}
      aria-pressed={pressed}
      disabled={disabled}
      onClick={onClick}
    >
      {icon !== undefined && <Icon name={icon} />}
      {children}
    </button>
  );
}

export function Empty(props: {
  title: string;
  hint?: string;
  icon?: IconName;
  children?: ComponentChildren;
}): JSX.Element {
  return (
    <div class="empty">
      {props.icon !== undefined && (
        <span class="empty-icon">
          <Icon name={props.icon} size={24} />
        </span>
      )}
      <p class="empty-title">{props.title}</p>
      {props.hint !== undefined && <p class="empty-hint">{props.hint}</p>}
      {props.children}
    </div>
  );
}

export function Problem({ error, retry }: { error: unknown; retry?: () => void }): JSX.Element {
  return (
    <div class="problem" role="alert">
      <Icon name="alert" />
      <div>
        <p class="problem-title">{words.errors.title}</p>
        <p>{said(error)}</p>
      </div>
      {retry !== undefined && <Button onClick={retry}>{words.errors.again}</Button>}
    </div>
  );
}

const WIDTHS = ['w80', 'w60', 'w70', 'w50', 'w75'];

/** A placeholder in the shape of the content. */
export function Loading({ rows = 5 }: { rows?: number }): JSX.Element {
  return (
    <div class="loading" role="status">
      <span class="hidden">{words.loading}</span>
      {Array.from({ length: rows }, (_, index) => (
        <span key={index} class={`bone ${WIDTHS[index % WIDTHS.length]}`} />
      ))}
    </div>
  );
}

/** Shows the data, the error, or that it is loading. An error does not hide older data. */
export function Shown<T>({
  of: found,
  children,
  rows,
}: {
  of: Resource<T>;
  children: (data: T) => ComponentChildren;
  rows?: number;
}): JSX.Element {
  const data = found.data.value;
  const error = found.error.value;
  if (data === undefined)
    return error === undefined ? (
      <Loading rows={rows ?? 5} />
    ) : (
      <Problem error={error} retry={() => void found.refresh()} />
    );
  return <>{children(data)}</>;
}

export function More<T>({ of: pages }: { of: Pages<T> }): JSX.Element | null {
  if (!pages.hasMore()) return null;
  return (
    <p class="more">
      <Button onClick={() => void pages.more()}>{words.more}</Button>
    </p>
  );
}

export function StateDot({ state }: { state: ShownState }): JSX.Element {
  return (
    <span class={`dot ${state}`} aria-hidden="true">
      {state === 'completed' && <Icon name="check" size={10} />}
      {state === 'error' && <Icon name="cross" size={10} />}
    </span>
  );
}

export function Section(props: {
  title: string;
  id?: string;
  actions?: ComponentChildren;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <section class="section">
      <div class="section-head">
        <h2>{props.title}</h2>
        {props.actions}
      </div>
      {props.children}
    </section>
  );
}

export function Choice<T extends string>(props: {
  label: string;
  value: T;
  options: readonly (readonly [T, string])[];
  onChange: (value: T) => void;
}): JSX.Element {
  return (
    <fieldset class="choice">
      <legend class="hidden">{props.label}</legend>
      {props.options.map(([value, text]) => (
        <button key={value} type="button" aria-pressed={value === props.value} onClick={() => props.onChange(value)}>
          {text}
        </button>
      ))}
    </fieldset>
  );
}

export function Pill({
  kind = 'plain',
  children,
}: {
  kind?: 'plain' | 'accent' | 'warm';
  children: ComponentChildren;
}): JSX.Element {
  return <span class={`pill ${kind}`}>{children}</span>;
}
