/** Reads the person's name and email address for commits from their git settings, and nothing else. */
import { execFile } from 'node:child_process';

export interface Identity {
  name?: string;
  email?: string;
  /** Whether they sign their commits. Commands can't, because they never get the key. */
  signs: boolean;
}

const GIT_MS = 3_000;

export async function personsIdentity(): Promise<Identity> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const { PATH, HOME, XDG_CONFIG_HOME } = process.env;
  const args = ['config', '--global', '--includes', '-z', '--get-regexp', '^(user\\.(name|email)|commit\\.gpgsign)$'];
  const options = { cwd: '/', timeout: GIT_MS, env: { PATH, HOME, XDG_CONFIG_HOME, GIT_CEILING_DIRECTORIES: '/' } };
  // git exits with code 1 if none is set.
  execFile('git', args, options, (_error, stdout) => resolve(stdout));
  const found = new Map<string, string>();
  for (const entry of (await promise).split('\0')) {
    const at = entry.indexOf('\n');
    if (at > 0) found.set(entry.slice(0, at).toLowerCase(), entry.slice(at + 1));
  }
  const [name, email] = [found.get('user.name'), found.get('user.email')];
  return {
    ...(name && { name }),
    ...(email && { email }),
    signs: /^(?:true|yes|on|1)$/i.test(found.get('commit.gpgsign') ?? ''),
  };
}

/** Returns the git settings file for the commands' home. */
export function settingsFor({ name, email }: Identity): string {
  const lines = [
    ...(name === undefined ? [] : [`\tname = ${quotedSetting(name)}`]),
    ...(email === undefined ? [] : [`\temail = ${quotedSetting(email)}`]),
  ];
  return lines.length === 0 ? '' : `[user]\n${lines.join('\n')}\n`;
}

const quotedSetting = (value: string): string => `"${value.replace(/[\p{Cc}]/gu, ' ').replace(/["\\]/g, '\\$&')}"`;
