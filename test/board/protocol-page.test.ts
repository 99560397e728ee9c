/** The frames and paths of docs/protocol.md, and docs/openapi.yaml, against the program. */
import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { COMMANDS, isCommandType } from '../../src/board/protocol/schemas.ts';
import { openWorld } from '../dialogs/harness.ts';

const docs = path.join(import.meta.dirname, '..', '..', 'docs');
const page = readFileSync(path.join(docs, 'protocol.md'), 'utf8');
const blocks = (kind: string) =>
  [...page.matchAll(new RegExp(`\`\`\`${kind}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, text = '']) => text);
const TOKEN = 'the-token-of-the-page';

describe('docs/protocol.md', () => {
  it('has a client that works as it is', async () => {
    const world = await openWorld({ config: { http: { port: 0, token: TOKEN } } });
    world.llm.script([
      {
        toolCalls: [
          {
            name: 'create_artifact',
            arguments: { title: 'notes.md', type: 'text/markdown', content: '# Notes of 1.4' },
          },
        ],
      },
      { text: 'The notes are attached.' },
    ]);
    const client = path.join(docs, '..', 'examples/board-client/plain.mjs');
    const env = { ...process.env, VIBER_URL: `ws://127.0.0.1:${world.app.port}/ws`, VIBER_TOKEN: TOKEN };
    const { stdout: printed } = await promisify(execFile)(process.execPath, [client], { env });
    expect(printed).toMatch(/^The notes are.*\nThe notes are attached\. \(\d{8}-\w+, [0-9a-f]{12}\)\n# Notes of 1\.4$/);
  });

  it('has an example of every command, which its shape takes whole', () => {
    const seen = blocks('json command').map((text) => JSON.parse(text));
    for (const frame of seen) {
      const { type, id: _id, ...fields } = frame;
      if (!isCommandType(type)) throw new Error(`${type} is no command`);
      const schema: z.ZodType = COMMANDS[type];
      expect(schema.parse(fields), type).toMatchObject(fields);
    }
    expect(new Set([...seen.map(({ type }) => type), 'task:unsubscribe'])).toEqual(new Set(Object.keys(COMMANDS)));
    for (const frame of blocks('json frame')) expect(JSON.parse(frame)).toHaveProperty('type');
  });

  it('names every command in its list, with each of its fields', () => {
    for (const [type, schema] of Object.entries(COMMANDS)) {
      const row = page.split('\n').find((line) => line.startsWith(`- \`${type}\``)) ?? '';
      for (const field of Object.keys(schema.shape)) expect(row, `${type} ${field}`).toContain(`\`${field}\``);
    }
  });
});

describe('docs/openapi.yaml', () => {
  const api = parse(readFileSync(path.join(docs, 'openapi.yaml'), 'utf8'));

  it('has the shapes of the program for every body', () => {
    for (const [type, name] of Object.entries<string>(api['x-commands'])) {
      if (!isCommandType(type)) throw new Error(`${type} is no command`);
      const { $schema: _schema, ...shape } = z.toJSONSchema(COMMANDS[type], { io: 'input', unrepresentable: 'any' });
      expect(api.components.schemas[name], type).toEqual(JSON.parse(JSON.stringify(shape)));
    }
    expect(Object.keys(api['x-commands']).sort()).toEqual(Object.keys(COMMANDS).sort());
  });

  const all = Object.entries<Record<string, { tags?: string[] }>>(api.paths);
  const isOfBoard = (methods: Record<string, { tags?: string[] }>) =>
    Object.values(methods).every(({ tags }) => tags?.includes('Board'));

  it("has every path of the table, and no other but the Board's own", () => {
    const named = [...page.matchAll(/`(?:(?:GET|POST|PUT)[`, ]*)+ ?(\/api\/[^`?\s]*)/g)].map(([, found = '']) =>
      found.replace(/\/$/, ''),
    );
    expect([...new Set(named)].filter((each) => each !== '/api').sort()).toEqual(
      all
        .flatMap(([name, methods]) => (isOfBoard(methods) ? [] : [name]))
        .filter((each) => each !== '/api/artifacts/{taskId}/{file}')
        .sort(),
    );
  });

  it('has every route of the program, and no other', () => {
    const written = globSync(path.join(docs, '..', 'src/{board,features}/**/*.ts')).flatMap((file) => [
      ...readFileSync(file, 'utf8').matchAll(
        /(?:(?:\b(?:route|changing)\(|\[)\s*|method: )'(GET|POST|PUT|DELETE)',\s*(?:path: )?'(\/api\/[^']*)'/g,
      ),
    ]);
    // What a parameter is called is nobody's business.
    const plain = (name: string) => name.replaceAll(/:\w+|\*\w+|\{\w+\}/g, '{}');
    const routes = written.map(([, method = '', name = '']) => `${method} ${plain(name)}`);
    const documented = all.flatMap(([name, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${plain(name)}`),
    );
    expect(routes.length).toBeGreaterThan(80);
    expect(documented.sort()).toEqual([...new Set(routes)].sort());
  });
});
