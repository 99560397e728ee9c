/** The effects of commands that people are asked about. Types only. */
export type Risk = 'unread' | 'rights' | 'push' | 'publish' | 'discard' | 'history' | 'delete' | 'overwrite' | 'branch';

/** The effects of a command. `risks` are asked about every time. */
export interface Effects {
  risks: Set<Risk>;
  /** Paths that it deletes, relative to where it runs; below, those that it overwrites. */
  deletes: Set<string>;
  overwrites: Set<string>;
  /** Whether it commits to the branch that is checked out. */
  commits: boolean;
}
