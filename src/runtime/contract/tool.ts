/**
 * What a tool is. `Tool` is data: all that is known of a tool stands in its own file, and in the table one line
 * (`runtime/tools/table.ts`). `RuntimeTool` is the same, bound to one run. Types only.
 */
import type { z } from 'zod';
import type { Role } from '../../access/principal.ts';
import type { MessageKey, Messages, Text } from '../../messages/messages.ts';
import type { Json } from '../../workspace/types.ts';
import type { Phrasing, Sentence } from './sentence.ts';

/** What repeating a call would do: nothing (`read`), the same thing again (`idempotent`), or something twice (`external`). */
export type ToolEffect = 'read' | 'idempotent' | 'external';

/** What a call tells others, however little it changes there. */
export interface Reach {
  /** What is asked for, where that is an address; absent for a service that an owner has set up. */
  address?: URL;
  /** How much is told. */
  characters: number;
  /** It looks as if it held a key or a piece of text. */
  isOdd?: boolean;
}

/** The facts of a run that decide which tools it is offered. */
export interface RunFacts {
  /** The role of the person on whose word it runs. */
  readonly role: Role;
  /** A scheduled job began it, or an agent that works for one. */
  readonly isJob: boolean;
  /** Another agent asks for a part of its task. */
  readonly isAsked: boolean;
  /** It is known in which conversation it was asked for. */
  readonly isHere: boolean;
  /** It is not to ask people questions. */
  readonly isAlone: boolean;
  /** What is remembered may be told where its answer is read. */
  readonly tellsMemory: boolean;
}

/** A message that says what a tool does, as people read it: "writing a file". */
export type DoingKey = Extract<MessageKey, `doing.${string}`>;

/** The line of the system prompt that lists what a viber can do, and what a tool adds to it. */
export interface Ability {
  line: 'work' | 'jobs' | 'memory' | 'tasks' | 'clock';
  /** Tools with the same words share them. */
  words: string;
}

interface ToolFacts<Input> {
  name: string;
  input: z.ZodType<Input>;
  /** The arguments as JSON Schema, where `input` does not say what they are. */
  schema?: Json;
  effect: ToolEffect;
  /**
   * Whether a person is asked before it runs. Absent: as its effect says. `never`: it asks by itself, or changes nothing people
   * would mind. `effects`: as for an effect outside the task. `always`: in every mode, unless people said "always" to it.
   * `each`: every time, by its own `asksBefore`.
   */
  consent?: 'never' | 'effects' | 'always' | 'each';
  /** Decides which runs are offered it; absent: those of everybody but guests. */
  offered?(run: RunFacts): boolean;
  /** Its results hold nothing but what the model itself or the people of the task have said. */
  ownWords?: true;
  /** It leaves something beside the answer and gives the model nothing to go on from: what is said with its call is for the person. */
  isAside?: true;
  /** It is a question in words: the turn ends with it, and what people say is its result. */
  isQuestion?: true;
  /** It reads or runs skills, and so goes with them. */
  ofSkills?: true;
  /** It is a word to people beside the answer: a run that has called it was not for nothing. */
  speaks?: true;
  /** What other agents call a tool of this kind, in lists of a skill: `write`, `bash`. */
  like?: 'write' | 'bash' | 'webfetch' | 'websearch' | 'task';
  /** Its result says what was arranged, so that a yes to it needs no other words. */
  arranges?: true;
  /** A rule of the system prompt that holds where it is offered. */
  rule?: string;
  ability?: Ability;
  /** Several calls of one step run side by side; the other tools wait for them. */
  isBeside?: true;
  /** Called again with the same arguments it goes on where it was: its call may wait midway. */
  isResumable?: true;
  /** It first waits for something, and calls `begin` itself; the other tools count as begun when they are called. */
  beginsLate?: true;
}

export interface CallOptions {
  signal: AbortSignal;
  callId: string;
  /** Takes a few words on how far the call is, for people who watch; best effort. */
  onProgress?: ((note: string) => void) | undefined;
  /** A tool that `beginsLate` awaits this right before its effect can begin; it rejects where the call was given up by then. */
  begin?: () => Promise<void>;
}

/**
 * A tool as data. `run` is what it may know and use of the run at hand. What a call needs to remember between its question and its
 * work, `perRun` keeps (`runtime/tools/bind.ts`).
 */
export interface Tool<Input = unknown, Run = unknown> extends ToolFacts<Input> {
  /** What the model is told it is for; undefined where the run has no use for it. */
  describe: string | ((run: Run) => string | undefined | Promise<string | undefined>);
  /** What people read while it runs, and where it fails. */
  doing: DoingKey;
  /** The same with the argument that says what it is about. */
  about?: { argument: string; doing: DoingKey };
  /** `consent`, where that depends on the run. */
  consentIn?(run: Run): ToolFacts<Input>['consent'];
  isOutside?(input: Input, run: Run): boolean;
  kindOf?(input: Input, run: Run): string;
  asksBefore?(input: Input, run: Run, callId?: string): boolean | Promise<boolean>;
  reaches?(input: Input, run: Run): Reach | undefined;
  settled?(input: Input, run: Run): Input | Promise<Input>;
  shows?(input: Input, run: Run): Json | Promise<Json>;
  asks?(input: Input, run: Run, phrasing: Phrasing): Sentence;
  at?(input: Input, when: string): Input;
  noteFor?(input: Input, run: Run, messages: Messages): Text | '';
  codeFor?(input: Input, run: Run): string;
  execute(input: Input, run: Run, options: CallOptions): Promise<Json>;
}

/** A tool as the model is offered it. Results are JSON; a thrown UserError is shown to the model as the tool's error. */
export interface RuntimeTool<Input = unknown> extends ToolFacts<Input> {
  description: string;
  /** Whether these arguments mean an effect outside the task, where not all do. May throw UserError. */
  isOutside?(input: Input): boolean;
  /**
   * The kind of arguments that "Always for this task" covers, in words; absent: any arguments. A call that was approved runs
   * only while this is still the same.
   */
  kindOf?(input: Input): string;
  /** Makes `kindOf` say what holds now, before a consent is used that was given for good. May throw UserError. */
  renewed?(): Promise<void>;
  /** Set for a run: this call waits for a person before it runs. May throw UserError. */
  asksBefore?(input: Input, callId?: string): boolean | Promise<boolean>;
  /**
   * Whom the call tells something, for a tool that only reads there; undefined: nobody. Whether a person is asked is then decided by
   * what leaves (approvals/egress.ts), and `kindOf` names the place.
   */
  reaches?(input: Input): Reach | undefined;
  /**
   * The arguments with what they leave open filled in, as the question shows it: a zone, places, a whole name. What is asked about is
   * what runs, so nothing is looked up again after a yes. Called once `asksBefore` has said yes. May throw UserError.
   */
  settled?(input: Input): Input | Promise<Input>;
  /**
   * What the question shows, or the call would work on, beside its arguments and their kind: a price, a file as it stands, the job that is
   * changed. With another by the time of the yes the call is asked about again. May throw UserError.
   */
  shows?(input: Input): Json | Promise<Json>;
  /** The question about it as one sentence; absent: its name and the arguments as a list. What it needs to know is known after `asksBefore`. */
  asks?(input: Input, phrasing: Phrasing): Sentence;
  /** The arguments with another time, as a person has put it; for a tool whose sentence `asksWhen`. */
  at?(input: Input, when: string): Input;
  /** Stands in the details of the question: what these arguments will lead to. */
  noteFor?(input: Input, messages: Messages): Text | '';
  /** What will run, whole: shown with the arguments. */
  codeFor?(input: Input): string;
  /** Set for a run: the call has run, and its result waits for a person. */
  asksAfter?(result: Json): boolean;
  execute(input: Input, options: CallOptions): Promise<Json>;
}

/**
 * Lets the table hold tools of different inputs while each keeps its own types: the input of a call is what `input` has read, so
 * that nothing else reaches the functions.
 */
export function defineTool<Input, Run>(
  tool: Tool<Input, Run> & { about?: { argument: keyof Input & string } },
): Tool<unknown, Run> {
  return tool;
}
