/** What the pages ask of the rest of the gateway; `src/app/board/pages.ts` gives it. Types only. */
import type { SessionInfo } from '../../access/sessions.ts';
import type { JobCheck, Letter } from '../../client/shapes.ts';
import type { Readiness } from '../../runtime/readiness.ts';
import type { TaskRecord } from '../../workspace/types.ts';
import type { Caller } from '../contract.ts';
import type { ProtocolParts } from '../protocol/parts.ts';

export interface About {
  viber: string;
  version: string;
  vibers(): string[];
  language(caller: Caller): string;
  /** False: no model is configured, and answers come from built-in words. */
  hasModel(): boolean;
  /** The task that the person's own conversation is about. */
  taskOf(caller: Caller): string | undefined;
}

export interface Letters {
  list(kind: 'dead' | 'unsure'): Letter[];
  /** On its way again, once however often it is asked for; false where there is no such letter. */
  retry(kind: 'dead' | 'unsure', id: string): Promise<boolean>;
}

export interface JobFiles {
  /** The name of the file that holds a job; undefined where there is none. */
  fileOf(id: string): string | undefined;
  folder: string;
  /** What the loader makes of a text; nothing is changed. */
  check(file: string, text: string): Promise<JobCheck>;
}

export interface People {
  people(): { name: string; role: string; ids: readonly string[] }[];
  pending(): { code: string; name: string; channel: string; id: string; at: string }[];
  links(): { person: string; ids: readonly string[] }[];
  sessions(): SessionInfo[];
  /** Throws UserError for a code that is none. */
  decide(code: string, verdict: 'approve' | 'deny', by: Caller): Promise<void>;
}

export interface Shown {
  skills(viber: string): Promise<{ name: string }[]>;
  skill(viber: string, name: string): Promise<unknown>;
  /** What a run of it is told. */
  context(task: TaskRecord): Promise<{ title: string; text: string; tokens: number }[]>;
  agents(): Promise<{ vibers: unknown[]; playbooks: unknown[] }>;
  /** Secrets are masked. */
  config(): unknown;
}

export interface MemoryParts {
  search(viber: string, query: string, limit: number): Promise<unknown[]>;
  /** Takes the last change back; the words say what became of it. */
  undo(viber: string, by: Caller): Promise<{ done: string; lines: string[] }>;
}

export interface PageParts {
  protocol: ProtocolParts;
  about: About;
  readiness(): Promise<Readiness>;
  letters: Letters;
  jobs: JobFiles;
  people: People;
  memory: MemoryParts;
  shown: Shown;
  /** Lines of the log as JSON, the oldest first, each with the number it has for good. */
  logs(): readonly { at: number; text: string }[];
}
