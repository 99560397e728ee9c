/** An id that no id can be is one that is not there: on every path that has one, for every method of it. */
import { globSync, readFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openWorld } from '../dialogs/harness.ts';

const TOKEN = 'the-token-of-the-owner';

/** As they are sent: `fetch` would resolve dots. */
const MALFORMED = [
  // biome-ignore format: a list is filled
  ...[
    '..%2f', '%2e%2e%2fconfig.yaml', '..%5c', '%2e', '%2e%2e', '%00', 'a%00b', '%0d%0aX:1', '%', '%zz', '%c3%28', '%ff',
  ],
  ...['a%2Fb', '%ED%A0%80', 'a'.repeat(300), 'a'.repeat(4_000)],
];
/** Of a form that only names have which others give. */
// biome-ignore format: a list is filled
const NO_IDS = [
  'x%20y', '%20', '*', '~', "'", '%F0%9F%98%80', '20260101-aaaaa%20', '%E2%80%AE', '%3Cscript%3E', '{id}',
];
/** Of the form of an id, perhaps, and of nothing that is there. */
const NOT_THERE = ['__proto__', 'constructor', 'NUL', '-', 'A', 'a'.repeat(100)];

/** Every route of the sources that has a name in its path. */
function routesWithIds(): { method: string; route: string }[] {
  const folder = path.join(import.meta.dirname, '..', '..', 'src');
  const files = globSync(['board/*.ts', 'board/{api,pages}/**/*.ts', 'features/**/*.ts'], { cwd: folder });
  return files.flatMap((file) => {
    const text = readFileSync(path.join(folder, file), 'utf8');
    const found = text.matchAll(/'(GET|PUT|POST|DELETE)',\s*(?:path: )?'(\/(?:api|board)\/[^']*:\w[^']*)'/g);
    return [...found].map(([, method = '', route = '']) => ({ method, route }));
  });
}

function ask(port: number, method: string, target: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', connection: 'close' };
    const request = http.request({ host: '127.0.0.1', port, method, path: target, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    request.on('error', reject);
    request.end(method === 'GET' || method === 'DELETE' ? undefined : '{}');
  });
}

test('an id that can be none is not found, whatever its path and method', async () => {
  const world = await openWorld({ config: { http: { port: 0, token: TOKEN } } });
  const routes = routesWithIds();
  expect(routes.length).toBeGreaterThan(20);
  const asked = routes.flatMap(({ method, route }) => {
    const isChat = route.startsWith('/api/chat/');
    const isRead = method === 'GET' || route.startsWith('/api/tasks/');
    const ids = [...MALFORMED, ...(isChat ? [] : NO_IDS), ...(isRead && !isChat ? NOT_THERE : [])];
    return ids.map((id) => ({ method, target: route.replaceAll(/:\w+/g, id) }));
  });
  const wrong: string[] = [];
  for (const { method, target } of asked) {
    const { status, text } = await ask(world.app.port ?? 0, method, target);
    if (status !== 404 || !text.includes('"not_found"'))
      wrong.push(`${method} ${target.slice(0, 80)}: ${status} ${text.slice(0, 120)}`);
  }
  expect(wrong).toEqual([]);
});
