/** Rules across several keys. They check the raw data, so that they apply even if there are other problems. */
import { channelKinds, chatSections } from '../channels/index.ts';
import { type ConfigProblem, problemWith } from '../errors.ts';
import { isRecord } from '../lib/json.ts';
import { say, type Wording } from '../messages/messages.ts';
import type { Data } from './parse.ts';
import type { Config } from './schema.ts';
import { oddKeys, oddToken } from './token-forms.ts';
import { valueAt } from './validate.ts';

/** Returns the problems of keys that are each valid by themselves. */
export async function brokenRules(data: Data): Promise<ConfigProblem[]> {
  const problems: ConfigProblem[] = [];
  const host = valueAt(data, ['http', 'host']);
  if (typeof host === 'string' && !isLoopback(host) && valueAt(data, ['http', 'token']) === undefined) {
    problems.push(problemWith('http.token', say('config.httpToken', { host })));
  }
  return [
    ...problems,
    ...(await channelRules(data)),
    ...clientRules(data),
    ...engineRules(valueAt(data, ['engine'])),
    ...sharedPeople(valueAt(data, ['people'])),
  ];
}

/** Every client needs its own token, and a person who exists. */
function clientRules(data: Data): ConfigProblem[] {
  const clients = valueAt(data, ['http', 'clients']);
  if (typeof clients !== 'object' || clients === null || Array.isArray(clients)) return [];
  const people = valueAt(data, ['people']);
  const names = (Array.isArray(people) ? people : []).map((person) => valueAt(person, ['name']));
  const tokens = new Map<Data, string>();
  const owner = valueAt(data, ['http', 'token']);
  if (owner !== undefined) tokens.set(owner, 'http.token');
  return Object.keys(clients).flatMap((name) => {
    const path = `http.clients.${name}`;
    const token = valueAt(clients, [name, 'token']);
    const person = valueAt(clients, [name, 'person']);
    const other = token === undefined ? undefined : tokens.get(token);
    if (token !== undefined) tokens.set(token, `${path}.token`);
    return [
      ...(other === undefined ? [] : [problemWith(`${path}.token`, say('config.sameToken', { other }))]),
      ...(person === undefined || names.includes(person)
        ? []
        : [problemWith(`${path}.person`, say('config.nobody', { person: String(person) }))]),
    ];
  });
}

/** The number of roles: ingress, work and deliver. */
const ROLES = 3;

/** A server needs an address, and a single process needs all roles. */
function engineRules(engine: Data | undefined): ConfigProblem[] {
  const roles = valueAt(engine, ['roles']);
  if (valueAt(engine, ['kind']) === 'redis') {
    const hasUrl = valueAt(engine, ['url']) !== undefined;
    return hasUrl ? [] : [problemWith('engine.url', say('config.engineUrl'))];
  }
  const isPart = Array.isArray(roles) && new Set(roles).size < ROLES;
  return isPart ? [problemWith('engine.roles', say('config.allRoles'))] : [];
}

/** Checks each channel's section with its own rules, and that no two webhooks share a path. */
async function channelRules(data: Data): Promise<ConfigProblem[]> {
  const problems: ConfigProblem[] = [];
  const taken = new Map<unknown, string>();
  for (const { name, rules, webhook } of channelKinds()) {
    const section = valueAt(data, ['channels', name]);
    if (!isRecord(section)) continue;
    const path = (key: string) => `channels.${name}.${key}`;
    for (const problem of (await rules?.(section)) ?? []) problems.push({ ...problem, path: path(problem.path) });
    const arrives = webhook?.path(section);
    if (webhook === undefined || typeof arrives !== 'string') continue;
    const key = path(webhook.key);
    const other = taken.get(arrives);
    if (/^\/(healthz|readyz|metrics|ws|board|board\/.*|api\/.*)?$/.test(arrives))
      problems.push(problemWith(key, say('config.ownPath', { path: arrives })));
    else if (other !== undefined) problems.push(problemWith(key, say('config.samePath', { other })));
    taken.set(arrives, path(webhook.key.replace(/\.?path$/, '')).replace(/\.$/, ''));
  }
  return problems;
}

/** Returns a sentence for each setting that is valid but probably wrong. Only the platform knows. */
export function oddSettings(config: Config, env: NodeJS.ProcessEnv): Wording[] {
  const odd: Wording[] = [...unknownPrices(config), ...oddKeys(config, env)];
  if (config.engine.kind === 'local' && config.engine.url !== undefined) odd.push(say('config.engineUnused'));
  for (const { kind, settings } of chatSections(config))
    for (const key of Object.keys(kind.usual ?? {}))
      odd.push(...[oddToken(kind.name, key, Reflect.get(settings, key))].filter((each) => each !== undefined));
  return odd;
}

/** A limit on money does not apply to a model without a price. */
function unknownPrices({ model, fallback, prices, limits }: Omit<Config, 'channels'>): Wording[] {
  const odd = Object.keys(prices)
    .filter((name) => !/^\S+\/\S+$/.test(name))
    .map((name) => say('config.priceName', { name }));
  const cap = limits.costPerDay > 0 ? 'costPerDay' : 'costPerPersonPerDay';
  if (limits[cap] === 0 || Object.keys(prices).length > 0) return odd;
  const names = [...(model === undefined ? [] : [model]), ...fallback].join(', ');
  return [...odd, say('config.cap', { cap, names: names === '' ? say('config.theModel') : names })];
}

/** Returns true for addresses that only programs on this machine can reach. */
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
      problems.push(
        problemWith(`people.${index}.name`, say('config.namesake', { name: String(name), index: namesake })),
      );
    } else if (name !== undefined) names.set(name, index);
    for (const [place, id] of (Array.isArray(ids) ? ids : []).entries()) {
      const owner = owners.get(id);
      if (owner !== undefined && owner !== index) {
        problems.push(
          problemWith(`people.${index}.ids.${place}`, say('config.sameId', { id: String(id), index: owner })),
        );
      }
      owners.set(id, owner ?? index);
    }
  }
  return problems;
}
