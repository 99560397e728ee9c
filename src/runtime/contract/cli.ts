/** The command line: what a command declares, what it receives and its exit codes. */
import { type Messages, say, type Wording } from '../../messages/messages.ts';
import type { HomeAt, OfferedNames } from './feature.ts';
import type { JobFiles, JobFilesAt } from './job-service.ts';
import type { Spending, SpendingAt } from './spending.ts';

/** An option in its long form, `--name`. */
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
  /** Options for this verb only; they are declared with the command's. */
  options?: readonly string[];
  about: Wording | string;
}

/** One row of the table. The parser, `--help` and docs/commands.md are all derived from it, so they can't disagree. */
export interface CliCommand {
  /** One line for the list of commands; features from outside write it in a language of their own. */
  about: Wording | string;
  takes?: Words;
  /** Replaces `takes`: the first word selects a verb, which takes words of its own. */
  verbs?: Readonly<Record<string, CliVerb>>;
  /** The default verb; without it, a verb is required. */
  usual?: string;
  /** The verb for words that neither are a verb nor resemble one. */
  otherwise?: string;
  /** Verbs of the chat command of the same name; they are not passed to `otherwise`. */
  inChats?: RegExp;
  options?: Readonly<Record<string, CliOption>>;
  json?: true;
  /** Paragraphs of further help. */
  notes?: readonly (Wording | string)[];
  examples: readonly string[];
  /** Exit codes that differ from EXIT_MEANINGS. */
  exits?: Readonly<Record<number, Wording | string>>;
  load: () => Promise<{ run: (context: CliContext, cli: CliServices) => Promise<number> }>;
}

export interface RunningGateway {
  /** Sends a line as a chat would, and returns the whole answer. */
  ask(chat: string, text: string): Promise<string>;
  /**
   * Asks the feature of the gateway that declares this request.
   * @throws UserError
   */
  request(name: string, asked: object): Promise<object>;
  /** Renders an answer for this terminal, line by line. */
  shown(answer: string): Promise<string[]>;
}

/** What commands of features use of the program. */
export interface CliServices {
  /** Returns the gateway that runs on the home; undefined if there is none. */
  gateway: () => Promise<RunningGateway | undefined>;
  /** Returns the home of the command, for what features do without a gateway. */
  at: (config: object) => Promise<HomeAt>;
  /** Returns what jobs of these vibers may name of tools and skills that come and go. */
  names: (vibers: readonly string[], config: object) => Promise<OfferedNames>;
  /** Counts what calls use that are made without the gateway. */
  spending: (at: Omit<SpendingAt, 'tellOwners'>) => Promise<Spending>;
  /** Returns the job files of a home; undefined if no feature has jobs. */
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
