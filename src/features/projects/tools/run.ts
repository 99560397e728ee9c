/** The parts of the current run that a project's tools need. */
import type { ToolScope } from '../../../runtime/contract/tool-scope.ts';
import type { Processes } from '../commands/processes.ts';
import type { Network } from '../commands/registries.ts';
import type { SeenFiles } from '../files.ts';
import type { Project } from '../find.ts';

export interface ProjectRun {
  readonly scope: ToolScope;
  /**
   * Returns the project. Checks again at each call.
   * @throws UserError if it can't be used any more
   */
  readonly project: () => Project;
  readonly seen: SeenFiles;
  /** Whether commands run in the sandbox. Otherwise they have the gateway's rights. */
  readonly isSandboxed: boolean;
  /** The text of the person's request. */
  readonly words: readonly string[];
  /** The person who asked, as task records name people. */
  readonly person: string;
  /** The network that commands may reach. */
  readonly network: () => Network;
  /** Folders to which commands and scripts of any task can write. */
  readonly writable: () => string[];
  readonly processes: Processes;
}

/** Returns whether a path names a file of the task or of the viber's workspace, as it does without a project. */
export const isOfTask = (given: string): boolean => /^\s*(?:workspace|artifacts)\//.test(given);
