/** Rules that tie several keys together. They look at the raw data, so that they speak up beside every other problem. */
import type { ConfigProblem } from '../errors.ts';
import type { Data } from './parse.ts';
import { valueAt } from './validate.ts';

/** What is wrong with keys that are each right by themselves; [] when nothing is. */
export function brokenRules(data: Data): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const host = valueAt(data, ['http', 'host']);
  if (typeof host === 'string' && !isLoopback(host) && valueAt(data, ['http', 'token']) === undefined) {
    problems.push({ path: 'http.token', message: `is required because http.host ${host} can be reached from outside` });
  }
  const telegram = valueAt(data, ['channels', 'telegram']);
  for (const key of valueAt(telegram, ['mode']) === 'webhook' ? ['url', 'secret'] : []) {
    if (valueAt(telegram, ['webhook', key]) !== undefined) continue;
    problems.push({ path: `channels.telegram.webhook.${key}`, message: 'is required because mode is webhook' });
  }
  return [...problems, ...sharedPeople(valueAt(data, ['people']))];
}

/** True for addresses that only programs of this machine can reach. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}

function sharedPeople(people: Data | undefined): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const names = new Map<Data, number>();
  const owners = new Map<Data, number>();
  for (const [index, person] of (Array.isArray(people) ? people : []).entries()) {
    const name = valueAt(person, ['name']);
    const ids = valueAt(person, ['ids']);
    const namesake = name === undefined ? undefined : names.get(name);
    if (namesake !== undefined) {
      problems.push({ path: `people.${index}.name`, message: `${String(name)} is the name of people.${namesake} too` });
    } else if (name !== undefined) names.set(name, index);
    for (const [place, id] of (Array.isArray(ids) ? ids : []).entries()) {
      const owner = owners.get(id);
      if (owner !== undefined && owner !== index) {
        problems.push({
          path: `people.${index}.ids.${place}`,
          message: `${String(id)} belongs to people.${owner} already`,
        });
      }
      owners.set(id, owner ?? index);
    }
  }
  return problems;
}
