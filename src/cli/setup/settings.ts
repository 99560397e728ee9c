/**
 * The files that the wizard writes: settings go into the configuration, secrets into `.env` beside it. A change is
 * checked first and written only once it works, so the wizard can be left at any time.
 */

import fs from 'node:fs';
import { type Change, STARTER, saveChange, withChange, writing, writtenSettings } from '../../config/change.ts';
import { setOutside } from '../../config/env-file.ts';
import { keepSchemas } from '../../config/schema-file.ts';
import { secretRemoval } from '../../config/secret-setting.ts';
import { type Config, configFileOf, type LoadedConfig, loadConfig } from '../../config.ts';
import { writeFileAtomic } from '../../lib/files.ts';
import type { CliContext } from '../../runtime/contract/cli.ts';
import { openHome } from '../../workspace/home.ts';

export { type Change, refuseReadOnly, writing } from '../../config/change.ts';

export class Settings {
  readonly home: string;
  readonly #given: string | undefined;
  #env: NodeJS.ProcessEnv;
  #isSaved = false;

  constructor({ home, config, env }: CliContext) {
    this.home = home;
    this.#given = config;
    this.#env = env;
  }

  get env(): NodeJS.ProcessEnv {
    return this.#env;
  }

  /** Whether this run of the command has saved anything. */
  get isSaved(): boolean {
    return this.#isSaved;
  }

  /** `--home` and `--config` for another command of the program. */
  get options(): string[] {
    return ['--home', this.home, ...(this.#given === undefined ? [] : ['--config', this.#given])];
  }

  file(): Promise<string> {
    return configFileOf(this.home, this.#given);
  }

  /**
   * Loads the current settings.
   * @throws {ConfigError}
   */
  load(): Promise<LoadedConfig> {
    return loadConfig({ file: this.#given, home: this.home, env: this.#env });
  }

  /**
   * Returns the configuration with the change applied, without saving it.
   * @param home also checks that the vibers exist
   * @throws {ConfigError}
   */
  async with(change: Change, home?: string): Promise<{ config: Config; env: NodeJS.ProcessEnv }> {
    return withChange(await this.file(), change, this.#env, home);
  }

  /** @throws {UserError} if a file can't be written, or is read-only: a replacement would lose its mode */
  async save(change: Change): Promise<void> {
    await writing(this.home, () => openHome(this.home));
    await saveChange(this.home, await this.file(), change);
    this.#env = { ...this.#env, ...change.secrets };
    this.#isSaved = true;
  }

  /** Returns the removal of a setting or section with its secrets. */
  async removal(path: readonly (string | number)[]): Promise<Change> {
    const isOutside = (name: string) => setOutside(process.env, this.home, [name]).length > 0;
    return secretRemoval(path, await writtenSettings(await this.file()), isOutside);
  }

  async begin(): Promise<void> {
    const file = await this.file();
    await writing(this.home, () => openHome(this.home));
    if (!fs.existsSync(file)) await writing(file, () => writeFileAtomic(file, STARTER));
    await keepSchemas(file, this.home);
  }
}
