/** systemd and launchd: the path of the service file, and the commands to install, remove and query the service. */

import os from 'node:os';
import path from 'node:path';
import { UserError } from '../../errors.ts';
import { readTextSync } from '../../lib/files.ts';
import { viberCommand } from '../../lib/invocation.ts';
import { say, type Wording } from '../../messages/messages.ts';
import { AGENT_LABEL, agentText, type ServiceFacts, UNIT_NAME, unitText } from './files.ts';

export interface Supervisor {
  name: string;
  file: string;
  text: (facts: ServiceFacts) => string;
  /** Run in this order, up to the first failure. */
  install: readonly string[][];
  /** Failures are ignored: the service may not exist. */
  uninstall: readonly string[][];
  stop: string[];
  status: string[];
  logs: (options: { logFile: string; isFollowing: boolean; lines: number }) => string[];
  logFile: string;
}

export const USUAL_LINES = 200;

/** Returns whether a service file exists and names this home, an absolute path. */
export function isServiceOf(file: string, home: string): boolean {
  const exact = home.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`["'=\\s>]${exact}(?=["'\\s<]|$)`).test(readTextSync(file) ?? '');
}

export function supervisorFor(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): Supervisor {
  const user = env.HOME || os.homedir();
  if (platform === 'linux') return systemd(env.XDG_CONFIG_HOME || path.join(user, '.config'));
  if (platform === 'darwin') return launchd(user, os.userInfo().uid);
  throw new UserError(say('service.unsupported'));
}

function systemd(settings: string): Supervisor {
  const systemctl = (...words: string[]) => ['systemctl', '--user', ...words];
  return {
    name: 'systemd',
    file: path.join(settings, 'systemd/user', UNIT_NAME),
    text: unitText,
    // A running service keeps its old settings; only a restart applies the file.
    install: [systemctl('daemon-reload'), systemctl('enable', UNIT_NAME), systemctl('restart', UNIT_NAME)],
    uninstall: [systemctl('disable', '--now', UNIT_NAME)],
    stop: systemctl('stop', UNIT_NAME),
    status: systemctl('status', '--no-pager', '--lines=5', UNIT_NAME),
    logs: ({ isFollowing, lines }) => [
      ...['journalctl', '--user', `--unit=${UNIT_NAME}`, '--output=cat', `--lines=${lines}`],
      isFollowing ? '--follow' : '--no-pager',
    ],
    logFile: '',
  };
}

/** Returns what a person can do after a failed installation. */
export function adviceFor({ name, file }: Supervisor, problem: string, release: string): Wording {
  if (name !== 'systemd') return say('service.nextLogin', { file });
  if (problem.startsWith('there is no systemctl')) return say('service.noSystemd', { command: viberCommand('start') });
  if (/microsoft/i.test(release)) return say('service.wsl');
  return say('service.noSession');
}

function launchd(user: string, uid: number): Supervisor {
  const file = path.join(user, 'Library/LaunchAgents', `${AGENT_LABEL}.plist`);
  const service = `gui/${uid}/${AGENT_LABEL}`;
  return {
    name: 'launchd',
    file,
    text: agentText,
    install: [
      ['launchctl', 'bootstrap', `gui/${uid}`, file],
      ['launchctl', 'kickstart', '-k', service],
    ],
    uninstall: [['launchctl', 'bootout', service]],
    stop: ['launchctl', 'bootout', service],
    status: ['launchctl', 'print', service],
    logs: ({ logFile, isFollowing, lines }) => [
      ...['tail', '-n', String(lines)],
      ...(isFollowing ? ['-F'] : []),
      logFile,
    ],
    logFile: path.join(user, 'Library/Logs/openviber-gateway.log'),
  };
}
