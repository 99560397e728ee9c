/**
 * Limits how often an unreachable platform may be called. Discord lets a bot identify once in five seconds and 1,000
 * times a day; Slack counts `apps.connections.open` among the methods for once a minute, with bursts; Telegram states
 * no limit for `getUpdates`.
 */
import fs from 'node:fs';

export const PACES = [
  { platform: 'telegram', what: 'getUpdates', path: /\/getUpdates/, atMost: 20 },
  { platform: 'telegram', what: 'messages', path: /\/send(Rich)?Message/, atMost: 60 },
  { platform: 'discord', what: 'connections of its gateway', path: /^\/\?v=/, atMost: 12 },
  { platform: 'discord', what: 'messages', path: /\/channels\/\d+\/messages$/, atMost: 60 },
  { platform: 'slack', what: 'apps.connections.open', path: /\/apps\.connections\.open/, atMost: 12 },
  { platform: 'slack', what: 'messages', path: /\/chat\.postMessage/, atMost: 60 },
] as const;

export interface Noted {
  at: number;
  port: string;
  path: string;
}

export const readRequests = (file: string): Noted[] =>
  fs
    .readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [at = '', port = '', path = ''] = line.split(' ');
      return { at: Number(at), port, path };
    });

/** Returns the largest number of calls within any minute of that time. */
export function worstMinute(requests: readonly Noted[], from: number, to: number): number {
  const times = requests.filter(({ at }) => at >= from && at <= to).map(({ at }) => at);
  return Math.max(0, ...times.map((begin) => times.filter((at) => at >= begin && at < begin + 60_000).length));
}
