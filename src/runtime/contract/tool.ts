/**
 * The definition of a tool. `Tool` is data: its own file has everything about it, and `runtime/tools/table.ts` one line.
 * `RuntimeTool` is the same, bound to one run.
 */
import type { z } from 'zod';
import type { Role } from '../../access/principal.ts';
import type { MessageKey, Messages, Text } from '../../messages/messages.ts';
import type { ConsentKey, Json } from '../../workspace/types.ts';
import type { Phrasing, Sentence } from './sentence.ts';
import type { When } from './when.ts';

/** Repeating a call would do nothing (`read`), the same again (`idempotent`), or something twice (`external`). */
export type ToolEffect = 'read' | 'idempotent' | 'external';

/** A call's disclosure to others, even if it changes nothing there. */
export interface Reach {
  /** Absent for a service that an owner has set up. */
  address?: URL;
  /** The amount of text that is disclosed. */
  characters: number;
  /** It looks as if it contained a key or a piece of text. */
  isOdd?: boolean;
}

/** The facts of a run that decide which tools it is offered. */
export interface RunFacts {
  readonly role: Role;
  /** A scheduled job started it, or an agent that works for a job. */
  readonly isJob: boolean;
  /** Another agent asks it for a part of its task. */
  readonly isAsked: boolean;
  /** The conversation that it was requested in is known. */
  readonly isHere: boolean;
  /** It must not ask people questions. */
  readonly isAlone: boolean;
  /** Memory may be revealed to the readers of its answer. */
  readonly tellsMemory: boolean;
}

/** The key of a message that says what a tool does: "writing a file". */
export type DoingKey = Extract<MessageKey, `doing.${string}`>;

/** What people may allow of a call. */
export interface CallConsent {
  /** `free`: nobody is asked in any mode; `each`: every time, whatever was allowed; `usual`: the mode decides. */
  is: 'free' | 'each' | 'usual';
  /** "Always" covers them, and a call once all of its kinds are covered; none: there is no "Always". */
  kinds: readonly string[];
}

/** A part of the system prompt's line about what a viber can do. */
export interface Ability {
  line: 'work' | 'jobs' | 'memory' | 'tasks' | 'clock';
  /** Tools with the same words share one mention. */
  words: string;
}

interface ToolFacts<Input> {
  name: string;
  input: z.ZodType<Input>;
  /** The arguments as JSON Schema, if `input` doesn't describe them. */
  schema?: Json;
  effect: ToolEffect;
  /**
   * Whether a person is asked before it runs. Absent: depends on its effect. `never`: it asks by itself, or changes
   * nothing people would mind. `effects`: as for an effect outside the task. `always`: in every mode, unless people
   * said "always" to it. `each`: every time, by its own `asksBefore`.
   */
  consent?: 'never' | 'effects' | 'always' | 'each';
  /** The runs that are offered it; absent: all but those of guests. */
  readonly offered?: When<RunFacts>;
  /** Its results contain only what the model itself or the people of the task have said. */
  ownWords?: true;
  /** It gives the model nothing to continue from: text that comes with its call is for the person. */
  isAside?: true;
  /** It is a question in words: the turn ends with it, and people's reply is its result. */
  isQuestion?: true;
  /** It reads or runs skills, so it is offered only with them. */
  ofSkills?: true;
  /** It says something to people beside the answer: a run that called it wasn't for nothing. */
  speaks?: true;
  /** The name that other agents use for such a tool in a skill's list of tools. */
  like?: 'write' | 'bash' | 'webfetch' | 'websearch' | 'task';
  /** Its result says what was arranged, so that a yes to it needs no other words. */
  arranges?: true;
  /** A rule for the system prompt, included if the tool is offered. */
  rule?: string;
  ability?: Ability;
  /** Several calls of one step run in parallel; other tools wait for them. */
  isBeside?: true;
  /** It takes the place of the gateway's own tool of its name, whose cases it handles too. */
  replaces?: true;
  /** The run goes on with other tools after it. */
  changesTools?: true;
  /** A repeated call with the same arguments continues where it stopped, so its call may wait midway. */
  isResumable?: true;
  /** The session has its call before it runs, so that a restart continues exactly this one. */
  keepsCall?: true;
  /** It waits for something first and calls `begin` itself; other tools count as begun when they are called. */
  beginsLate?: true;
}

export interface CallOptions {
  signal: AbortSignal;
  callId: string;
  /** Receives a few words on the call's progress for people who watch; best effort. */
  onProgress?: ((note: string) => void) | undefined;
  /** Awaited by a tool that `beginsLate` right before its effect; rejects if the call has been given up by then. */
  begin?: () => Promise<void>;
}

/**
 * The actions of a tool; all but `execute` are about consent. `Run` is what a tool as data gets of the current run; a
 * tool of one run gets nothing of it. Each may throw UserError, which the model sees as the tool's error.
 */
interface ToolActions<Input, Run extends unknown[]> {
  /** Judges the call, for a tool whose calls differ in what people may allow. */
  judges?(input: Input, ...run: Run): CallConsent | Promise<CallConsent>;
  /** A consent, also to calls of another tool, that covers this call too; one to its own tool is offered. */
  coveredBy?(input: Input, ...run: Run): ConsentKey | undefined;
  /** Phrases one question about its calls in a step, at least two; absent: each has a question of its own. */
  asksTogether?(inputs: readonly Input[], ...run: [...Run, phrasing: Phrasing]): Sentence;
  /** Whether these arguments have an effect outside the task, if not all do. */
  isOutside?(input: Input, ...run: Run): boolean;
  /**
   * Returns the kind of arguments that "Always for this task" covers, in words; absent: any arguments. An approved call
   * runs only while this stays the same.
   */
  kindOf?(input: Input, ...run: Run): string;
  /** Whether this call waits for a person before it runs. */
  asksBefore?(input: Input, ...run: [...Run, callId?: string]): boolean | Promise<boolean>;
  /**
   * Returns what the call discloses to others, for a tool that only reads there; undefined: nothing. What leaves then
   * decides whether a person is asked (approvals/egress.ts), and `kindOf` names the place.
   */
  reaches?(input: Input, ...run: Run): Reach | undefined;
  /**
   * Fills in the open arguments, as the question shows them: a zone, places, a whole name. The call runs with exactly
   * these, so nothing is looked up again after a yes. Called once `asksBefore` has returned true.
   */
  settled?(input: Input, ...run: Run): Input | Promise<Input>;
  /**
   * Returns what the question shows, or what the call would work on, beside its arguments and their kind: a price, the
   * current file, the job to change. If it differs at the time of the yes, the person is asked again.
   */
  shows?(input: Input, ...run: Run): Json | Promise<Json>;
  /**
   * Phrases the question as one sentence; absent: the tool's name and a list of the arguments. Called after
   * `asksBefore`, so it can use what that found out.
   */
  asks?(input: Input, ...run: [...Run, phrasing: Phrasing]): Sentence;
  /** Returns the arguments with another time, in a person's words; for a tool whose sentence has `asksWhen`. */
  at?(input: Input, when: string): Input;
  /** Describes in the question's details what these arguments will lead to. */
  noteFor?(input: Input, ...run: [...Run, messages: Messages]): Text | '';
  /** Returns everything that will run; shown with the arguments. */
  codeFor?(input: Input, ...run: Run): string;
  execute(input: Input, ...run: [...Run, options: CallOptions]): Promise<Json>;
}

/** A tool as data. `perRun` (`runtime/tools/bind.ts`) keeps what a call must remember until it runs. */
export interface Tool<Input = unknown, Run = unknown> extends ToolFacts<Input>, ToolActions<Input, [run: Run]> {
  /** The description for the model; undefined if the run has no use for the tool. */
  describe: string | ((run: Run) => string | undefined | Promise<string | undefined>);
  /** Shown to people while it runs, and if it fails. */
  doing: DoingKey;
  /** The same with the argument that says what the call is about. */
  about?: { argument: string; doing: DoingKey };
  /** Replaces `consent` if that depends on the run. */
  consentIn?(run: Run): ToolFacts<Input>['consent'];
}

/** A tool of one run, as offered to the model. */
export interface RuntimeTool<Input = unknown> extends ToolFacts<Input>, ToolActions<Input, []> {
  description: string;
  /** Updates what `kindOf` returns before a permanent consent is used. */
  renewed?(): Promise<void>;
  /** Set per run: whether the result of a call that has run waits for a person. */
  asksAfter?(result: Json): boolean;
}

/** The code of a bundled skill. Its name, description and parameters are in its SKILL.md. */
export type NativeSkill<Run> = Omit<Tool<unknown, Run>, 'name' | 'describe'>;

/** As `defineTool`, for the code of a bundled skill. */
export function defineNativeSkill<Input, Run>(
  tool: Omit<Tool<Input, Run>, 'name' | 'describe'> & { about?: { argument: keyof Input & string } },
): NativeSkill<Run> {
  return tool;
}

/** Facts of a tool that hold before any run. */
export type KnownTool = Omit<Tool, 'describe' | 'input' | 'effect' | keyof ToolActions<unknown, []>>;

/** Lets the table hold tools with different inputs: the input of a call is what the tool's `input` has parsed. */
export function defineTool<Input, Run>(
  tool: Tool<Input, Run> & { about?: { argument: keyof Input & string } },
): Tool<unknown, Run> {
  return tool;
}
