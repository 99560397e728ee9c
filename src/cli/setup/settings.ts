/**
 * The files that the wizard writes: settings go into the configuration, secrets into `.env` beside it. A change is
 * checked first and written only once it works, so the wizard can be left at any time.
 */

import fs from 'node:fs';
import { type Config, configFileOf, configOf, type LoadedConfig, loadConfig } from '../../config.ts';
import { readTextSync, writeFileAtomic } from '../../lib/files.ts';
import type { CliContext } from '../../runtime/contract/cli.ts';
import { openHome } from '../../workspace/home.ts';
import { writeEnvFile } from '../env-file.ts';
import { type Setting, withSettings, writeSettings } from './edit-config.ts';

export interface Change {
  settings: readonly Setting[];
  /** Values by the name of their variable. */
  secrets: Readonly<Record<string, string>>;
}

export const STARTER = '# What is left out has a default; config.example.yaml of the repository explains every key.\n';

export class Settings {
  readonly home: string;
  readonly #given: string | undefined;
  #env: NodeJS.ProcessEnv;

  constructor({ home, config, env }: CliContext) {
    this.home = home;
    this.#given = config;
    this.#env = env;
  }

  get env(): NodeJS.ProcessEnv {
    return this.#env;
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
   * @throws {ConfigError}
   */
  async with({ settings, secrets }: Change): Promise<{ config: Config; env: NodeJS.ProcessEnv }> {
    const file = await this.file();
    const env = { ...this.#env, ...secrets };
    const text = await withSettings(readTextSync(file) ?? STARTER, settings, file);
    return { config: (await configOf(text, file, env)).config, env };
  }

  async save({ settings, secrets }: Change): Promise<void> {
    await openHome(this.home);
    // The secret first: a crash in between then leaves a configuration that works.
    await writeEnvFile(this.home, secrets);
    await writeSettings(await this.file(), settings, STARTER);
    this.#env = { ...this.#env, ...secrets };
  }

  /** Creates a file to edit if there is none. */
  async begin(): Promise<void> {
    await openHome(this.home);
    const file = await this.file();
    if (!fs.existsSync(file)) await writeFileAtomic(file, STARTER);
  }
}
