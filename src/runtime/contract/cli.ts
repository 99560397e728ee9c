/** The command line: what a command declares, what it receives and its exit codes. */
import { type Messages, say, type Wording } from '../../messages/messages.ts';
import type { HomeAt, OfferedNames } from './feature.ts';
import type { JobFiles, JobFilesAt } from './job-service.ts';
import type { Spending, SpendingAt } from './spending.ts';

export interface CliOption {
  /** The placeholder for its value in the help (`FILE`); a switch has none. */
  takes?: string;
  about: Wording | string;
}

export const OTHER_VIBER: CliOption = { takes: 'ID', about: say('commandLine.everyViber') };

/** The words after a command: `GOAL...` takes any number, `[VIBER]` is optional, all others are required. */
type Words = string;

export interface CliVerb {
  takes?: Words;
  /** Options for this verb only, declared with the command's. */
  options?: readonly string[];
  /** Its required options. */
  required?: readonly string[];
  about: Wording | string;
}

/** One row of the table. The parser, `--help` and docs/commands.md are all derived from it, so they can't disagree. */
export interface CliCommand {
  /** One line for the list of commands; features from outside write it in a language of their own. */
  about: Wording | string;
  takes?: Words;
  /** Replaces `takes`: the first word selects a verb, which takes words of its own. */
  verbs?: Readonly<Record<string, CliVerb>>;
  /** Without it, a verb is required. */
  usual?: string;
  /** The verb for words that neither are a verb nor resemble one. */
  otherwise?: string;
  /** Verbs of the chat command of the same name; they are not passed to `otherwise`. */
  inChats?: RegExp;
  options?: Readonly<Record<string, CliOption>>;
  json?: true;
  /**
   * `older`: it reads an older home as it is. `any`: it reads no home, or replaces or removes one as a whole. Absent: an
   * older home is migrated first.
   */
  takesHome?: 'older' | 'any';
  notes?: readonly (Wording | string)[];
  examples: readonly string[];
  exits?: Readonly<Record<number, Wording | string>>;
  load: () => Promise<{ run: (context: CliContext, cli: CliServices) => Promise<number> }>;
}

export interface RunningGateway {
  /** The port of its HTTP server. */
  port: number | undefined;
  ask(chat: string, text: string): Promise<string>;
  /** Asks the feature that declares this request. | @throws UserError */
  request(name: string, asked: object): Promise<object>;
  /** Returns an answer, which is Markdown, as text for a terminal. */
  plain(answer: string): Promise<string>;
}

/** All commands, for scripts that complete them. */
export interface CliTable {
  commands: Readonly<Record<string, CliCommand>>;
  /** The options that stand without a command. */
  common: Readonly<Record<string, CliOption>>;
  /** Returns all options of a command. */
  optionsOf(command: CliCommand): Readonly<Record<string, CliOption>>;
}

export interface CliServices {
  /** This program's own. */
  version: string;
  table: CliTable;
  gateway: () => Promise<RunningGateway | undefined>;
  /** Returns the home for what features do without a gateway. */
  at: (config: object) => Promise<HomeAt>;
  /** Returns the tools and skills that jobs of these vibers may name. */
  names: (vibers: readonly string[], config: object) => Promise<OfferedNames>;
  spending: (at: Omit<SpendingAt, 'tellOwners'>) => Promise<Spending>;
  /**
   * Changes settings of the configuration, or removes those without a value, and keeps everything else in it; returns
   * the file's name. Secrets, by the name of their variable, go into `.env`.
   */
  changeSettings: (
    settings: readonly { path: readonly (string | number)[]; value: unknown }[],
    secrets?: Readonly<Record<string, string>>,
  ) => Promise<string>;
  /** Undefined if no feature has jobs. */
  jobFiles: (at: JobFilesAt) => Promise<JobFiles | undefined>;
}

export interface CliContext {
  args: string[];
  config: string | undefined;
  /** `--home DIR`, or the home from the environment. */
  home: string;
  json: boolean;
  values: Readonly<Record<string, string>>;
  switches: ReadonlySet<string>;
  env: NodeJS.ProcessEnv;
  /** Texts in the language of the person at the terminal; in English with `--json`. */
  messages: Messages;
  print: (line: string) => void;
}

export const EXIT = { ok: 0, failed: 1, badConfig: 2, locked: 3 } as const;

export const EXIT_MEANINGS: Readonly<Record<number, Wording>> = {
  [EXIT.ok]: say('commandLine.exitOk'),
  [EXIT.failed]: say('commandLine.exitFailed'),
  [EXIT.badConfig]: say('commandLine.exitBadConfig'),
  [EXIT.locked]: say('commandLine.exitLocked'),
};
