/**
 * The task contract: what goes into a run and what comes out, and the states a task may take.
 * `run(request) -> events + result` reads no context from disk: everything it needs is in the request.
 */
import type { z } from 'zod';
import type { Messages, Text } from '../../messages/messages.ts';
import type { ArtifactRef, Json, Plan, SessionEntry, TaskState } from '../../workspace/types.ts';
import type { Phrasing, Sentence } from './sentence.ts';

/** `task:submit`. `goal` and `messages` are required; the rest is optional context. */
export interface TaskRequest {
  goal: string;
  messages: TaskMessage[];
  plan?: string | Plan;
  artifacts?: ArtifactRef[];
  memory?: string;
}

/** One message of the history. `steps` hold a model's own messages (assistant and tool) verbatim. */
export type TaskMessage =
  | { role: 'user'; text: string; files?: InputFile[] }
  | { role: 'assistant'; text: string }
  | { role: 'steps'; messages: Json[]; files?: InputFile[] };

/** A file shown to the model itself, not just named: pictures and PDFs of messages, pictures of tools. */
export interface InputFile {
  path: string;
  name: string;
  mimeType: string;
}

/** `task:completed`. `summary` is plain text of at most 300 characters. */
export interface TaskResult {
  text: string;
  summary: string;
  artifactRefs: ArtifactRef[];
}

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

/** A tool as the model is offered it. Results are JSON; a thrown UserError is shown to the model as the tool's error. */
export interface RuntimeTool<Input = unknown> {
  name: string;
  description: string;
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
  /** Several calls of one step run side by side; the other tools wait for them. */
  isBeside?: true;
  /** Called again with the same arguments it goes on where it was: its call may wait midway. */
  isResumable?: true;
  /** `onProgress`: a few words on how far it is, for people who watch; best effort. */
  execute(
    input: Input,
    options: { signal: AbortSignal; callId: string; onProgress?: ((note: string) => void) | undefined },
  ): Promise<Json>;
}

/** A finished step of the run at hand, with what its tools have shown. */
export type ResumedStep = FinishedStep & { files?: InputFile[] };

export type FinishedStep = Extract<SessionEntry, { type: 'step' }>;

const NEXT: Record<TaskState, readonly TaskState[]> = {
  pending: ['running', 'stopped', 'error'],
  running: ['completed', 'error', 'stopped'],
  completed: ['pending', 'running'],
  error: ['pending', 'running'],
  stopped: ['pending', 'running'],
};

/** Whether the state machine allows the step; the three terminal states may only begin the next run. */
export function canBecome(from: TaskState, to: TaskState): boolean {
  return NEXT[from].includes(to);
}

/** The kind of a call: what "always" would cover. */
export const kindOf = (tool: RuntimeTool, input: unknown): string => tool.kindOf?.(input) ?? '';
