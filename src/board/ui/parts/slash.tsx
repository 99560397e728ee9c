/** The menu of commands: shown while the first word is typed, chosen by keys or a click. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Composing } from '../../../client/shapes.ts';
import { words } from '../words.ts';

export type SlashCommand = NonNullable<Composing['commands']>[number];

const MAX_SHOWN = 8;
const TYPED = /^\/(\w*)$/;

/** Commands whose name begins with what is typed come first. */
export function commandsFor(text: string, all: readonly SlashCommand[]): readonly SlashCommand[] {
  const typed = TYPED.exec(text)?.[1]?.toLowerCase();
  if (typed === undefined) return [];
  const begins = all.filter(({ name }) => name.startsWith(typed));
  const others = all.filter(
    ({ name, description }) => !name.startsWith(typed) && description.toLowerCase().includes(typed),
  );
  return [...begins, ...(typed.length > 1 ? others : [])].slice(0, MAX_SHOWN);
}

export interface SlashMenu {
  shown: readonly SlashCommand[];
  at: number;
  /** Handles the key if it is one of the menu's. */
  onKey(event: KeyboardEvent): boolean;
  choose(command: SlashCommand): void;
}

/** @param onChoose receives the text that the command begins with */
export function useSlash(text: string, all: readonly SlashCommand[], onChoose: (text: string) => void): SlashMenu {
  const at = useSignal(0);
  const closedFor = useSignal<string | undefined>(undefined);
  const found = commandsFor(text, all);
  const shown = closedFor.value === text ? [] : found;
  useEffect(() => {
    at.value = 0;
  }, [text, at]);
  const takeCommand = ({ name }: SlashCommand) => {
    // One without an argument can be sent by the next Enter.
    onChoose(`/${name} `);
  };
  return {
    shown,
    at: Math.min(at.value, Math.max(0, shown.length - 1)),
    choose: takeCommand,
    onKey(event) {
      if (shown.length === 0) return false;
      const now = shown[at.value];
      const isWhole = now !== undefined && text === `/${now.name}`;
      if (event.key === 'ArrowDown') at.value = (at.value + 1) % shown.length;
      else if (event.key === 'ArrowUp') at.value = (at.value + shown.length - 1) % shown.length;
      else if (event.key === 'Escape') closedFor.value = text;
      else if ((event.key === 'Tab' || (event.key === 'Enter' && !isWhole)) && !event.shiftKey && now !== undefined)
        takeCommand(now);
      else return false;
      return true;
    },
  };
}

export const SLASH_ID = 'slash-menu';
export const slashOption = (index: number): string => `${SLASH_ID}-${index}`;

export function SlashList({ of: menu }: { of: SlashMenu }): JSX.Element | null {
  if (menu.shown.length === 0) return null;
  return (
    <div class="slash" id={SLASH_ID} role="listbox" aria-label={words.composer.commands} tabIndex={-1}>
      {menu.shown.map((command, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the message box
        // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the message box
        <div
          key={command.name}
          id={slashOption(index)}
          role="option"
          aria-selected={index === menu.at}
          // The box keeps its focus.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => menu.choose(command)}
        >
          <span class="slash-name">
            /{command.name}
            {command.argument !== undefined && <span class="slash-argument"> {command.argument}</span>}
          </span>
          <span class="slash-does">{command.description}</span>
        </div>
      ))}
    </div>
  );
}
