/** Cloning a repository below an allowed folder, from a server of the test. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { cloneInto, parseRepository, removeStaging } from '../../src/features/projects/clone.ts';
import { hasSandbox } from '../../src/skills/script.ts';
import { putAll, tempFolder } from '../helpers/temp.ts';
import { makeCertificate } from '../skills/web-fetch-fixtures.ts';

const { signal } = new AbortController();
/** Unlike 127.0.0.1, programs in the sandbox reach it through the proxy. */
const HOST = '127.0.0.2';

/** Serves the files of a repository, as plain web servers do. */
async function serve(files: Record<string, string>) {
  const [work, served] = [fs.realpathSync(tempFolder()), fs.realpathSync(tempFolder())];
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], { cwd: work, stdio: 'pipe' });
  git('init', '--quiet', '--initial-branch=main');
  putAll(work, files);
  fs.symlinkSync('/etc/passwd', path.join(work, 'link'));
  git('add', '--all');
  git('commit', '--quiet', '--message=first');
  git('clone', '--quiet', '--bare', work, path.join(served, 'shop.git'));
  execFileSync('git', ['update-server-info'], { cwd: path.join(served, 'shop.git') });
  const server = createServer(makeCertificate(), ({ url = '' }, response) => {
    const file = path.join(served, new URL(url, 'https://a').pathname);
    if (fs.statSync(file, { throwIfNoEntry: false })?.isFile()) response.end(fs.readFileSync(file));
    else response.writeHead(404).end('secret words of the server');
  });
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const at = (name: string) => ({ url: `https://${HOST}:${port}/${name}`, host: HOST, name: 'shop' });
  const more = { reach: { allowed: [`${HOST}:${port}`] }, granted: { GIT_SSL_NO_VERIFY: 'true' } };
  return { at, more };
}

describe.skipIf(!(await hasSandbox()))('a clone', () => {
  it('is put below the folder once it is whole, and running it again changes nothing', async () => {
    const { at, more } = await serve({
      'src/a.ts': 'a\n',
      '.gitmodules': '[submodule "x"]\n\tpath = x\n\turl = ext::sh -c touch%20/tmp/x\n',
      '.gitattributes': '* filter=evil\n',
    });
    const root = fs.realpathSync(tempFolder());
    const folder = await cloneInto(root, at('shop.git'), signal, more);
    expect(folder).toBe(path.join(root, 'shop'));
    expect(fs.readFileSync(path.join(folder, 'src/a.ts'), 'utf8')).toBe('a\n');
    expect(fs.readdirSync(root)).toEqual(['shop']);
    expect(fs.existsSync(path.join(folder, '.git/hooks'))).toBe(false);
    const log = execFileSync('git', ['-C', folder, 'log', '--format=%s'], { encoding: 'utf8' });
    expect(log).toBe('first\n');
    fs.writeFileSync(path.join(folder, 'mine'), 'mine');
    expect(await cloneInto(root, { ...at('shop'), url: at('shop').url }, signal, more)).toBe(folder);
    expect(fs.readFileSync(path.join(folder, 'mine'), 'utf8')).toBe('mine');
  });

  it('leaves a folder alone that is something else, and nothing behind when it fails', async () => {
    const { at, more } = await serve({ 'a.txt': 'a\n' });
    const root = fs.realpathSync(tempFolder());
    const failed = await cloneInto(root, at('nowhere.git'), signal, more).catch((error: unknown) => String(error));
    expect(failed).toContain("doesn't exist, or needs a login");
    expect(failed).not.toContain('secret words');
    expect(fs.readdirSync(root)).toEqual([]);
    fs.mkdirSync(path.join(root, 'shop'));
    await expect(cloneInto(root, at('shop.git'), signal, more)).rejects.toThrow('already exists');
    expect(fs.readdirSync(path.join(root, 'shop'))).toEqual([]);
  });

  it('reaches no host but that of the repository', async () => {
    const { at, more } = await serve({ 'a.txt': 'a\n' });
    const root = fs.realpathSync(tempFolder());
    const failed = cloneInto(root, { ...at('shop.git'), host: 'example.org' }, signal, { granted: more.granted });
    await expect(failed).rejects.toThrow("can't be reached");
  });
});

it('removes what clones of a killed process left', async () => {
  const root = tempFolder();
  for (const name of ['.viber-clone-old', 'shop']) fs.mkdirSync(path.join(root, name));
  await removeStaging(root, Date.now() - 60_000);
  expect(fs.readdirSync(root)).toHaveLength(2);
  await removeStaging(root, Date.now() + 60_000);
  expect(fs.readdirSync(root)).toEqual(['shop']);
});

test.each([
  ['github.com/acme/shop', 'https://github.com/acme/shop'],
  ['https://github.com/acme/shop.git', 'https://github.com/acme/shop'],
  ['HTTPS://GitHub.com/Acme/Shop/', 'https://github.com/Acme/Shop'],
  ['git@github.com:acme/shop.git', 'https://github.com/acme/shop'],
  ['gitlab.example.org/group/sub/shop', 'https://gitlab.example.org/group/sub/shop'],
  ['http://github.com/acme/shop', undefined],
  ['ssh://git@github.com/acme/shop', undefined],
  ['https://user:secret@github.com/acme/shop', undefined],
  ['https://github.com:8443/acme/shop', undefined],
  ['file:///etc/passwd', undefined],
  ['ext::sh -c id', undefined],
  ['https://127.0.0.1/acme/shop', undefined],
  ['https://localhost/acme/shop', undefined],
  ['github.com/acme/../../etc', undefined],
  ['github.com/acme/.git', undefined],
  ['github.com/acme/--upload-pack=x', undefined],
  ['github.com/acme/shop?x=1', undefined],
  ['github.com/acme/sh op', undefined],
  ['github.com/acme/$(id)', undefined],
  ['shop', undefined],
  ['code/shop', undefined],
])('%s is the repository %s', (given, url) => {
  expect(parseRepository(given)?.url).toBe(url);
});
