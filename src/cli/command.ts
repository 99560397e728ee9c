/** What every command of the command line is given, and how it says how it went. */

export interface CliContext {
  /** What follows the command's name. */
  args: string[];
  /** `--config FILE`. */
  config: string | undefined;
  /** `--home DIR`, or what the environment says. */
  home: string;
  json: boolean;
  /** `--viber ID`, for the commands that take it. */
  viber?: string | undefined;
  env: NodeJS.ProcessEnv;
  print: (line: string) => void;
}

export const EXIT = { ok: 0, failed: 1, badConfig: 2, locked: 3 } as const;
