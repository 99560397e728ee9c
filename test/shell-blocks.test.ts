/** Runs the shell blocks of the docs with the program in a fresh home. A block that needs more says so in its fence, and its section tells the reader. */
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { eventually } from './helpers/eventually.ts';
import { PROGRAM } from './helpers/program.ts';
import { hasCurl } from './helpers/tools.ts';

const root = join(import.meta.dirname, '..');
const base = mkdtempSync(join(tmpdir(), 'viber-shell-'));
const children: (() => void)[] = [];
afterAll(() => {
  for (const end of children) end();
  rmSync(base, { recursive: true, force: true });
});

/** What no test has, and the word by which the section tells its reader. */
const NEEDS: Readonly<Record<string, RegExp>> = {
  network: /\bnetwork\b/,
  token: /\btokens?\b/,
  code: /\bcode\b/,
  docker: /\bDocker\b/,
  cluster: /\bcluster\b/,
  systemd: /\bsystemd\b/,
  browser: /\bbrowser\b/,
  openclaw: /\bOpenClaw\b/,
};

interface Block {
  page: string;
  /** Undefined: it runs. */
  needs: string | undefined;
  text: string;
  /** The text between the headings around it. */
  section: string;
}

const PAGES = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md'],
  ...['docs', 'docs/dev'].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  ),
];

function blocksOf(page: string): { language: string; block: Block }[] {
  const text = readFileSync(join(root, page), 'utf8');
  return [...text.matchAll(/^( *)```(\w*)(?: needs (\w+))?[^\n]*\n([\s\S]*?)^ *```$/gm)].map((match) => {
    const [, indent = '', language = '', needs, body = ''] = match;
    const lines = body.split('\n').map((line) => line.slice(indent.length));
    const [section = ''] = text.slice(text.lastIndexOf('\n## ', match.index) + 1).split('\n## ');
    return { language, block: { page, needs, text: lines.join('\n'), section } };
  });
}

const all = PAGES.flatMap(blocksOf);
const shell = all.filter(({ language }) => language === 'sh').map(({ block }) => block);
const running = shell.filter(({ needs }) => needs === undefined);

test('blocks of commands are shell blocks', () => {
  const command = /^(?:[A-Z_]+=\S+ )*(?:(?:\.\/)?viber|npm|npx|git|docker|kubectl|ssh|curl|rm|export|openssl|echo) /m;
  const bare = all.filter(
    ({ language, block }) => language === '' && block.page !== 'docs/commands.md' && command.test(block.text),
  );
  expect(bare.map(({ block }) => `${block.page}: ${block.text}`)).toEqual([]);
});

test('what a block needs is told in its section', () => {
  const silent = shell.filter(({ needs, section }) => needs !== undefined && !NEEDS[needs]?.test(section));
  expect(silent.map(({ page, needs, text }) => `${page} needs ${needs}: ${text}`)).toEqual([]);
  expect(running.length).toBeGreaterThan(10);
});

test('a comment does not end a line, since zsh takes it for words', () => {
  expect(shell.filter(({ text }) => /\s#/.test(text)).map(({ page, text }) => `${page}: ${text}`)).toEqual([]);
});

/** A home without settings but for the port, and `viber` as people type it. */
function openShell(page: string) {
  const folder = join(base, page.replaceAll('/', '-'));
  const home = join(folder, '.openviber');
  const bin = join(folder, 'bin');
  for (const each of [home, bin]) mkdirSync(each, { recursive: true });
  writeFileSync(join(home, 'config.yaml'), 'http: { port: 0, token: the-token-of-the-docs }\n');
  writeFileSync(join(bin, 'viber'), `#!/bin/sh\nexec '${process.execPath}' '${join(root, PROGRAM)}' "$@"\n`);
  chmodSync(join(bin, 'viber'), 0o755);
  const { PATH = '' } = process.env;
  const env = {
    ...{ HOME: folder, TZ: 'UTC', TOKEN: 'the-token-of-the-docs', npm_config_update_notifier: 'false' },
    PATH: [bin, dirname(process.execPath), PATH].join(delimiter),
  };
  return { folder, env };
}

describe.each([...new Set(running.map(({ page }) => page))])('%s', (page) => {
  const { folder, env } = openShell(page);
  test.for(running.filter((block) => block.page === page))('runs: $text', async ({ text }, { skip }) => {
    if (/^curl /m.test(text) && !hasCurl) skip('curl is not installed');
    const given = text.includes('127.0.0.1:6009') ? await withGateway(text, env) : text;
    const cwd = /\bnpm run\b|^\.\/viber\b/m.test(given) ? root : folder;
    const { status, stdout, stderr } = spawnSync('sh', ['-ec', given], { cwd, env, encoding: 'utf8' });
    expect({ status, said: status === 0 ? '' : stdout + stderr }).toEqual({ status: 0, said: '' });
    if (!/^(?:rm|export) /.test(text)) expect(stdout).not.toBe('');
    expect(stdout).not.toMatch(/"error":|task:error/);
  });
});

test('what people type in their first minute is understood', () => {
  const page = 'docs/getting-started.md';
  const typed = blocksOf(page).find(({ language }) => language === '')?.block.text ?? '';
  const { env } = openShell('typed');
  const { stdout } = spawnSync('viber', ['chat'], { env, input: typed, encoding: 'utf8' });
  for (const part of ['The plan has 3 steps', 'Step 1', 'I wrote notes.md', 'blue']) expect(stdout).toContain(part);
});

/** The block with the port of a gateway that runs, and the ID of a task that it has. */
async function withGateway(text: string, env: Record<string, string>): Promise<string> {
  const child = spawn(process.execPath, [join(root, PROGRAM), 'start'], { env, stdio: ['pipe', 'ignore', 'ignore'] });
  children.push(() => child.kill('SIGKILL'));
  let port = 0;
  await eventually(() => {
    const { stdout } = spawnSync('viber', ['status', '--json'], { env, encoding: 'utf8' });
    port = Number(/"port": ?(\d+)/.exec(stdout)?.[1] ?? 0);
    expect(port).toBeGreaterThan(0);
  });
  const body = JSON.stringify({ goal: 'make a plan: draft; send', messages: [] });
  const headers = { authorization: `Bearer ${env.TOKEN}` };
  const submitted = await fetch(`http://127.0.0.1:${port}/api/tasks`, { method: 'POST', headers, body });
  const { taskId } = (await submitted.json()) as { taskId: string };
  return text.replaceAll('127.0.0.1:6009', `127.0.0.1:${port}`).replaceAll('20261121-abcde', taskId);
}
