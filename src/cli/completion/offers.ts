/** What can be completed after each command, from the table of commands. */
import type { Messages } from '../../messages/messages.ts';
import type { CliCommand, CliOption, CliTable } from '../../runtime/contract/cli.ts';
import { LOG_LEVELS } from '../levels.ts';

/** What a value is completed with; `none`: only the person knows it. */
type Value = 'file' | 'folder' | 'none' | readonly string[];

export interface Offer {
  name: string;
  about: string;
}

export interface OfferedOption extends Offer {
  /** Absent for a switch. */
  value?: Value;
  /** The verbs that have it; absent: all. */
  verbs?: readonly string[];
}

export interface OfferedCommand extends Offer {
  verbs: readonly (Offer & { value: Value })[];
  options: readonly OfferedOption[];
  /** What its words are, where it has no verbs. */
  value: Value;
}

export interface Offers {
  commands: readonly OfferedCommand[];
  /** Those before any command. */
  options: readonly OfferedOption[];
}

const VALUES: Readonly<Record<string, Value>> = {
  FILE: 'file',
  SOURCE: 'file',
  DIR: 'folder',
  FOLDER: 'folder',
  LEVEL: LOG_LEVELS,
};

const offeredFor = (placeholder: string): Value => VALUES[placeholder.replace(/[^A-Z]/g, '')] ?? 'none';

export function offersOf({ commands, common, optionsOf: all }: CliTable, messages: Messages): Offers {
  const optionOf = (
    [name, { takes, about }]: readonly [string, CliOption],
    verbs: CliCommand['verbs'] = {},
  ): OfferedOption => {
    const owners = Object.keys(verbs).filter((verb) => verbs[verb]?.options?.includes(name));
    return {
      name,
      about: messages.said(about),
      ...(takes !== undefined && { value: offeredFor(takes) }),
      ...(owners.length > 0 && { verbs: owners }),
    };
  };
  const wordsOf = (takes = ''): Value => offeredFor(takes.split(' ')[0] ?? '');
  return {
    commands: Object.entries(commands).map(([name, command]) => ({
      name,
      about: messages.said(command.about),
      verbs: Object.entries(command.verbs ?? {}).map(([verb, { about, takes }]) => ({
        name: verb,
        about: messages.said(about),
        value: wordsOf(takes),
      })),
      options: Object.entries(all(command)).map((option) => optionOf(option, command.verbs)),
      value: wordsOf(command.takes),
    })),
    options: Object.entries(common).map((option) => optionOf(option)),
  };
}

/** Returns every option that is followed by a value: where one stands, the next word is no command. */
export const optionsWithValue = ({ commands, options }: Offers): Map<string, Value> =>
  new Map(
    [...options, ...commands.flatMap((command) => command.options)].flatMap(({ name, value }) =>
      value === undefined ? [] : [[name, value] as const],
    ),
  );

export const valueKind = (value: Value): 'file' | 'folder' | 'none' =>
  value === 'file' || value === 'folder' ? value : 'none';

/** Returns the options that a verb has. */
export const optionsOf = (command: OfferedCommand, verb: string): readonly OfferedOption[] =>
  command.options.filter(({ verbs }) => verbs === undefined || verbs.includes(verb));
