/** Servers that `viber mcp add NAME` knows by name. Versions are exact, so that they change only with this program. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { UserError } from '../../errors.ts';
import { viberCommand } from '../../lib/invocation.ts';
import { say, type Wording } from '../../messages/messages.ts';

export interface Preset {
  settings: { command: string; args: string[] } | { url: string };
  /** A note for the person who adds it. */
  note?: Wording;
  /** Whether it needs a key; the note then says how to set one. */
  needsKey?: true;
}

const PLAYWRIGHT = '@playwright/mcp@0.0.83';
/** The size at which the browser removes the oldest files of pages and pictures. */
const OUTPUT_BYTES = 64 * 1024 * 1024;
const FILESYSTEM = '@modelcontextprotocol/server-filesystem@2026.8.31';
const FETCH = 'mcp-fetch-server@1.1.2';

/** The names of Chromium's program in distributions. */
const CHROMIUM = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Returns whether it is a preset's package in any version, since older configurations name older versions. */
export const isPinned = (name: string): boolean =>
  [PLAYWRIGHT, FILESYSTEM, FETCH].some((each) => each.startsWith(`${name}@`));

const npx = (name: string, ...args: string[]) => ({ command: 'npx', args: ['-y', name, ...args] });

const REMOTE: Readonly<Record<string, string>> = {
  github: 'https://api.githubcopilot.com/mcp/',
  linear: 'https://mcp.linear.app/mcp',
  notion: 'https://mcp.notion.com/mcp',
  sentry: 'https://mcp.sentry.dev/mcp',
};

export const PRESETS: readonly string[] = ['browser', 'fetch', 'filesystem', ...Object.keys(REMOTE)];

/**
 * Returns undefined for a name that isn't a preset's.
 * @param given the words after the name
 * @throws UserError for words that it doesn't take, or that are missing
 */
export function presetOf(name: string, given: readonly string[], env: NodeJS.ProcessEnv): Preset | undefined {
  if (!PRESETS.includes(name)) return undefined;
  if (name === 'filesystem') return { settings: npx(FILESYSTEM, ...folders(given)) };
  if (given.length > 0) return undefined;
  const url = REMOTE[name];
  if (url !== undefined)
    return { settings: { url }, ...(name === 'github' && { needsKey: true, note: say('cli.mcpGithub') }) };
  if (name === 'fetch') return { settings: npx(FETCH) };
  const chromium = programIn(env.PATH ?? '');
  return {
    settings: npx(
      PLAYWRIGHT,
      ...['--headless', '--isolated', '--browser', 'chromium', '--output-max-size', `${OUTPUT_BYTES}`],
      ...(chromium === undefined ? [] : ['--executable-path', chromium]),
      // Chromium refuses to run as root inside its sandbox.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    ),
    note: chromium === undefined ? say('cli.mcpNoChromium') : say('cli.mcpBrowser'),
  };
}

/** @throws UserError without a folder, or for one that isn't there */
function folders(given: readonly string[]): string[] {
  const all = given.map((folder) => path.resolve(folder.replace(/^~(?=\/|$)/, os.homedir())));
  if (all.length === 0)
    throw new UserError(say('cli.mcpWhichFolder', { command: viberCommand('mcp add filesystem ~/notes') }));
  const missing = all.find((folder) => !fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory());
  if (missing !== undefined) throw new UserError(say('cli.mcpNoFolder', { folder: missing }));
  return all;
}

const programIn = (paths: string): string | undefined =>
  CHROMIUM.flatMap((name) => paths.split(path.delimiter).map((folder) => path.join(folder, name))).find((file) =>
    fs.existsSync(file),
  );
