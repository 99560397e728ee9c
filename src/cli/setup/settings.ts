/**
 * The files the wizard writes: settings into the configuration, secrets into `.env` beside it. A change is first looked at as it
 * would be, and written once it is known to work: what is there is true at every moment, and the wizard can be left at any.
 */

import fs from 'node:fs';
import { type Setting, withSettings, writeSettings } from '../../config/edit.ts';
import { writeEnvFile } from '../../config/env-file.ts';
import { type Config, configFileOf, configOf, type LoadedConfig, loadConfig } from '../../config.ts';
import { readTextSync, writeFileAtomic } from '../../lib/files.ts';
import { openHome } from '../../workspace/home.ts';
import type { CliContext } from '../command.ts';

export interface Change {
  settings: readonly Setting[];
  /** By name of their variable. */
  secrets: Readonly<Record<string, string>>;
}

export const STARTER = '# What is left out has a default; config.example.yaml of the repository explains every key.\n';

export class Settings {
  readonly home: string;
  readonly #given: string | undefined;
  #env: NodeJS.ProcessEnv;

  constructor({ home, config, env }: Pick<CliContext, 'home' | 'config' | 'env'>) {
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

  /** As they stand. Throws ConfigError. */
  load(): Promise<LoadedConfig> {
    return loadConfig({ file: this.#given, home: this.home, env: this.#env });
  }

  /** As they would be. Throws ConfigError. */
  async with({ settings, secrets }: Change): Promise<{ config: Config; env: NodeJS.ProcessEnv }> {
    const file = await this.file();
    const env = { ...this.#env, ...secrets };
    const text = await withSettings(readTextSync(file) ?? STARTER, settings, file);
    return { config: (await configOf(text, file, env)).config, env };
  }

  async save({ settings, secrets }: Change): Promise<void> {
    await openHome(this.home);
    // The secret before what refers to it: a crash between the two leaves a configuration that works.
    await writeEnvFile(this.home, secrets);
    await writeSettings(await this.file(), settings, STARTER);
    this.#env = { ...this.#env, ...secrets };
  }

  /** A file to edit, where there is none. */
  async begin(): Promise<void> {
    await openHome(this.home);
    const file = await this.file();
    if (!fs.existsSync(file)) await writeFileAtomic(file, STARTER);
  }
}
