/** Types of what the pages need from the rest of the gateway; `../open-pages.ts` provides it. */

import type { ProtocolParts } from '../../../board/protocol/parts.ts';
import type { Letter } from '../../../client/shapes.ts';
import type { Caller, Readiness } from '../../../runtime/contract/board.ts';
import type { TaskRecord } from '../../../workspace/types.ts';
import type { SessionInfo } from '../sessions.ts';

export interface About {
  viber: string;
  version: string;
  vibers(): string[];
  /** More files of a message would be left out of what the viber gets. */
  filesPerMessage: number;
  language(caller: Caller): string;
  /** Returns the command that connects a model, while answers come from the built-in one. */
  connectModel(): string | undefined;
  /** Returns the task of the person's own conversation. */
  taskOf(caller: Caller): string | undefined;
}

export interface Letters {
  list(kind: 'dead' | 'unsure'): Letter[];
  /** Queues the letter again, once however often it is called; returns false if it doesn't exist. */
  retry(kind: 'dead' | 'unsure', id: string): Promise<boolean>;
}

export interface People {
  people(): { name: string; role: string; ids: readonly string[] }[];
  pending(): { code: string; name: string; channel: string; id: string; at: string }[];
  links(): { person: string; ids: readonly string[] }[];
  sessions(): SessionInfo[];
  /** @throws {UserError} for an unknown code */
  decide(code: string, verdict: 'approve' | 'deny', by: Caller): Promise<void>;
}

export interface PageSources {
  /** Returns the context of a run of this task. */
  context(task: TaskRecord): Promise<{ title: string; text: string; tokens: number }[]>;
  agents(): Promise<{ vibers: unknown[]; playbooks: unknown[] }>;
  /** Returns the configuration with secrets masked. */
  config(): unknown;
}

export interface PageParts {
  protocol: ProtocolParts;
  about: About;
  readiness(): Promise<Readiness>;
  letters: Letters;
  people: People;
  shown: PageSources;
  /** Returns log lines as JSON, oldest first, each with its permanent number. */
  logs(): readonly { at: number; text: string }[];
}
