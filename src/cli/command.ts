/** What a command of the command line declares of itself, what it is given, and how it says how it went. */

/** An option in the long form, `--name`. */
export interface CliOption {
  /** What its value is called in the help (`FILE`); absent: it is a switch. */
  takes?: string;
  about: string;
}

/** The words after a command: `GOAL...` any number, `[VIBER]` may be left out. Everything else must be there. */
type Words = string;

export interface CliVerb {
  takes?: Words;
  /** Options of this verb alone; they stand among those of the command. */
  options?: readonly string[];
  about: string;
}

/** One row of the table. Parser, `--help` and docs/commands.md are made of it, so none can say what the others do not. */
export interface CliCommand {
  /** One line, for the list of all commands. */
  about: string;
  takes?: Words;
  /** In place of `takes`: the first word chooses, each verb takes words of its own. */
  verbs?: Readonly<Record<string, CliVerb>>;
  /** The verb where none is given; without it there must be one. */
  usual?: string;
  /** The verb that takes words which are no verb, and not nearly one. */
  otherwise?: string;
  /** Verbs of the chat's command of that name, which are neither. */
  inChats?: RegExp;
  options?: Readonly<Record<string, CliOption>>;
  /** Beside --help: `--json`, for what a program may read. */
  json?: true;
  /** What else is worth knowing, a paragraph each. */
  notes?: readonly string[];
  /** Whole command lines that work. */
  examples: readonly string[];
  /** What the codes mean here, where that is more than EXIT_MEANINGS says. */
  exits?: Readonly<Record<number, string>>;
  load: () => Promise<{ run: (context: CliContext) => Promise<number> }>;
}

export interface CliContext {
  /** What follows the command's name. */
  args: string[];
  /** `--config FILE`. */
  config: string | undefined;
  /** `--home DIR`, or what the environment says. */
  home: string;
  json: boolean;
  /** Values of the command's own options, by name. */
  values: Readonly<Record<string, string>>;
  /** The command's own switches that were given. */
  switches: ReadonlySet<string>;
  env: NodeJS.ProcessEnv;
  print: (line: string) => void;
}

export const EXIT = { ok: 0, failed: 1, badConfig: 2, locked: 3 } as const;

export const EXIT_MEANINGS: Readonly<Record<number, string>> = {
  [EXIT.ok]: 'done, or stopped when it was asked to',
  [EXIT.failed]: 'anything that is not below',
  [EXIT.badConfig]: 'the configuration is wrong: one line for each wrong key',
  [EXIT.locked]: 'another gateway holds this home',
};
