/** `viber board --share`: the address that works from a phone, or what to set. */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { openWorld, type World } from '../dialogs/harness.ts';
import { PROGRAM } from '../helpers/program.ts';
import { tempFolder } from '../helpers/temp.ts';
import { codeOf, request } from './browser.ts';

const NAME = 'machine.tail1234.ts.net';
const TAILNET = `https://${NAME}`;
const RUNNING = { BackendState: 'Running', Self: { DNSName: `${NAME}.`, Online: true }, CertDomains: [NAME] };
const serves = (port: number) => ({
  TCP: { 443: { HTTPS: true } },
  Web: { [`${NAME}:443`]: { Handlers: { '/': { Proxy: `http://127.0.0.1:${port}` } } } },
});

/** A stand-in for the program of the tailnet; without one, there is none. */
function pathWith(tailscale?: { status: object; serve: object }): string {
  const folder = tempFolder();
  if (tailscale) {
    const cases = `case "$1" in status) echo '${JSON.stringify(tailscale.status)}';; *) echo '${JSON.stringify(tailscale.serve)}';; esac`;
    fs.writeFileSync(path.join(folder, 'tailscale'), `#!/bin/sh\n${cases}\n`, { mode: 0o755 });
  }
  return `${folder}:/usr/bin:/bin`;
}

async function share({ home }: World, folders: string, ...more: string[]) {
  const env = { ...process.env, PATH: folders };
  const words = [PROGRAM, 'board', '--share', '--home', home, ...more];
  return promisify(execFile)(process.execPath, words, { env }).catch(
    ({ stdout, stderr }: { stdout: string; stderr: string }) => ({ stdout, stderr }),
  );
}
const opened = (...origins: string[]) => openWorld({ config: { http: { port: 0, origins } } });
const login = (world: World, printed: string, host: string) =>
  request(
    world.app.port ?? 0,
    'POST',
    '/board/session',
    { host, origin: `https://${host}`, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' },
    JSON.stringify({ code: codeOf(printed) }),
  );

describe('viber board --share', () => {
  it("prints the tailnet's address as text and QR code, with a link that logs in once", async () => {
    const world = await opened('https://viber.example.org', TAILNET);
    const folders = pathWith({ status: RUNNING, serve: serves(world.app.port ?? 0) });
    const { stdout } = await share(world, folders);
    expect(stdout).toContain(`${TAILNET}/board/login#`);
    expect(stdout).toMatch(/[▀▄█]{5}/);
    expect((await login(world, stdout, NAME)).status).toBe(200);
    expect((await login(world, stdout, NAME)).status).toBe(401);
    const { url } = JSON.parse((await share(world, folders, '--json')).stdout);
    expect(url).toMatch(new RegExp(`^${TAILNET}/board/login#[0-9a-f]{32}$`));
  });

  it('prints the listed https address without a tailnet, and where the tailnet leads elsewhere', async () => {
    const world = await opened('http://10.0.0.8:6009', 'https://viber.example.org', TAILNET);
    for (const folders of [pathWith({ status: RUNNING, serve: serves(1) }), pathWith({ status: {}, serve: {} })])
      expect((await share(world, folders)).stdout).toContain('https://viber.example.org/board/login#');
  });

  it('names the setting where only this machine is served', async () => {
    const world = await opened();
    const bare = await share(world, pathWith());
    expect([bare.stdout, bare.stderr]).toEqual(['', expect.stringContaining('http.origins')]);
    const unlisted = await share(world, pathWith({ status: RUNNING, serve: {} }));
    expect(unlisted.stderr).toContain(`add ${TAILNET} to http.origins`);
    const stopped = await share(
      world,
      pathWith({ status: { BackendState: 'Stopped', Self: RUNNING.Self }, serve: {} }),
    );
    expect(stopped.stderr).toContain('Only this machine can open the Board.');
    const listed = await opened(TAILNET);
    const idle = await share(listed, pathWith({ status: RUNNING, serve: {} }));
    expect(idle.stderr).toContain(`tailscale serve --bg ${listed.app.port}`);
    expect(world.read('access/sessions.json')).not.toContain('"code"');
  });
});
