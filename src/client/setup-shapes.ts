/** The responses for the Board's settings page. */

export type SettingKind = 'text' | 'number' | 'flag' | 'choice' | 'list' | 'other';

/**
 * What a change requires: `session`: an owner's login; `login`: a login with a link made on the machine in the last few
 * minutes; `machine`: it can't be made on the Board.
 */
export type SettingLevel = 'session' | 'login' | 'machine';

export type SettingValue = string | number | boolean | readonly string[];

export interface SettingShown {
  path: readonly string[];
  kind: SettingKind;
  level: SettingLevel;
  /** In the reader's language; absent if it has no words for this one, which are English then. */
  label?: string;
  /** In Markdown. */
  about?: string;
  usual?: SettingValue;
  choices?: readonly string[];
  /** A word that is accepted instead of a number. */
  word?: string;
  least?: number;
  most?: number;
  isWhole?: boolean;
  /** The value in the file; absent for a secret. */
  value?: SettingValue;
  /** True if the file sets it. */
  isSet: boolean;
  isSecret?: true;
  /** The variable that holds it. */
  variable?: string;
  /** The command that sets it on the machine. */
  command?: string;
}

export interface SettingProblem {
  path: string;
  message: string;
}

export interface SettingsShown {
  /** The file's name. */
  file: string;
  hash: string;
  settings: readonly SettingShown[];
  /** The loader's errors about the current file. */
  problems: readonly SettingProblem[];
  /** Changed sections that take effect with a restart. */
  waiting: readonly string[];
  /** True if the Board can restart the program. */
  canRestart: boolean;
  restartCommand: string;
  /** When the rights of a fresh login end, in ISO 8601; absent without them. */
  freshUntil?: string;
  loginCommand: string;
}

export interface SettingChange {
  path: string[];
  /** `null` removes it from the file. */
  value: string | number | boolean | string[] | null;
}
