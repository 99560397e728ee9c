/** Rules across several keys. They check the raw data, so that they apply even if there are other problems. */
import { channelKinds, chatSections } from '../channels/index.ts';
import type { ConfigProblem } from '../errors.ts';
import { isRecord } from '../lib/json.ts';
import type { Data } from './parse.ts';
import type { Config } from './schema.ts';
import { valueAt } from './validate.ts';

/** Returns the problems of keys that are each valid by themselves. */
export async function brokenRules(data: Data): Promise<ConfigProblem[]> {
  const problems: ConfigProblem[] = [];
  const host = valueAt(data, ['http', 'host']);
  if (typeof host === 'string' && !isLoopback(host) && valueAt(data, ['http', 'token']) === undefined) {
    problems.push({ path: 'http.token', message: `is required because http.host ${host} can be reached from outside` });
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
      ...(other === undefined ? [] : [{ path: `${path}.token`, message: `is ${other} too; each needs its own` }]),
      ...(person === undefined || names.includes(person)
        ? []
        : [{ path: `${path}.person`, message: `${String(person)} is not the name of anybody under people` }]),
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
    const message = 'is required because engine.kind is redis, for example redis://127.0.0.1:6379';
    return hasUrl ? [] : [{ path: 'engine.url', message }];
  }
  const isPart = Array.isArray(roles) && new Set(roles).size < ROLES;
  return isPart ? [{ path: 'engine.roles', message: 'must be all of them unless engine.kind is redis' }] : [];
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
      problems.push({ path: key, message: `${arrives} is a path of the gateway itself; choose another` });
    else if (other !== undefined)
      problems.push({ path: key, message: `is the path of ${other} too; each needs its own` });
    taken.set(arrives, path(webhook.key.replace(/\.?path$/, '')).replace(/\.$/, ''));
  }
  return problems;
}

/** Returns a sentence for each setting that is valid but probably wrong. Only the platform knows. */
export function oddSettings(config: Config): string[] {
  const odd: string[] = unknownPrices(config);
  if (config.engine.kind === 'local' && config.engine.url !== undefined)
    odd.push('engine.url: is not used because engine.kind is local');
  for (const { kind, settings } of chatSections(config))
    for (const [key, { pattern, looks }] of Object.entries(kind.usual ?? {})) {
      const value: unknown = Reflect.get(settings, key);
      if (typeof value === 'string' && !pattern.test(value))
        odd.push(`channels.${kind.name}.${key}: ${looks}; this one does not`);
    }
  return odd;
}

/** A limit on money does not apply to a model without a price. */
function unknownPrices({ model, fallback, prices, limits }: Omit<Config, 'channels'>): string[] {
  const odd = Object.keys(prices)
    .filter((name) => !/^\S+\/\S+$/.test(name))
    .map((name) => `prices.${name}: names a model as provider/model, for example openai/gpt-5-mini`);
  const cap = limits.costPerDay > 0 ? 'costPerDay' : 'costPerPersonPerDay';
  if (limits[cap] === 0 || Object.keys(prices).length > 0) return odd;
  const names = [...(model === undefined ? [] : [model]), ...fallback].join(', ');
  const which = names === '' ? 'the model' : names;
  return [...odd, `limits.${cap}: counts only models with a price; put ${which} under prices unless it is known`];
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
