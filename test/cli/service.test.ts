/** The service: the files as text and as the supervisors read them, and the command with stand-ins for their programs. */

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { Parser } from 'htmlparser2';
import { describe, expect, test } from 'vitest';
import { agentText, type ServiceFacts, UNIT_NAME, unitText } from '../../src/cli/service/files.ts';
import { adviceFor, supervisorFor } from '../../src/cli/service/supervisor.ts';
import { messagesIn } from '../../src/messages/messages.ts';
import { PROGRAM } from '../helpers/program.ts';
import { tempFolder } from '../helpers/temp.ts';
import { viber as ran } from '../helpers/viber.ts';

const facts: ServiceFacts = {
  node: '/opt/node 24/bin/node',
  program: '/opt/viber/dist/main.js',
  home: '/srv/Ada L/100% $HOME "x" \\ <&>',
  config: '/etc/viber/config.yaml',
  envFile: '/srv/Ada L/100%/service.env',
  logFile: '/Users/ada/Library/Logs/openviber-gateway.log',
};

describe('the unit of systemd', () => {
  test('has whole paths, blanks and all, and says how it is kept running', () => {
    const lines = unitText(facts).split('\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        'ExecStart="/opt/node 24/bin/node" "/opt/viber/dist/main.js" "start" "--home" ' +
          '"/srv/Ada L/100%% $$HOME \\"x\\" \\\\ <&>" "--config" "/etc/viber/config.yaml"',
        'EnvironmentFile=-/srv/Ada L/100%%/service.env',
        'Restart=always',
        'RestartPreventExitStatus=2 3',
        'NoNewPrivileges=yes',
        'UMask=0077',
        'WantedBy=default.target',
      ]),
    );
  });

  test.each([
    ['Failed to connect to bus: No medium found', '6.8.0-45-generic', /XDG_RUNTIME_DIR=\/run\/user/, /wsl/],
    [
      'Failed to connect to bus',
      '5.15.167.4-microsoft-standard-WSL2',
      /systemd=true.*wsl\.conf.*wsl --shutdown/,
      /XDG/,
    ],
    ['there is no systemctl here', '6.8.0-45-generic', /viber start/, /XDG|wsl/],
  ])('after "%s" on %s it is said what to do', (problem, release, wanted, other) => {
    const told = messagesIn('en').said(adviceFor(supervisorFor('linux', { HOME: '/srv/ada' }), problem, release));
    expect(told).toMatch(wanted);
    expect(told).not.toMatch(other);
  });

  test('takes nothing away that the sandbox of scripts needs', () => {
    const settings = unitText(facts).replace(/^#.*$/gm, '');
    expect(settings).not.toMatch(/RestrictNamespaces|ProtectSystem|ProtectHome|ProtectKernel|ProtectProc|PrivateTmp/);
    expect(settings).not.toMatch(/SystemCallFilter|MemoryDenyWriteExecute|PrivateDevices|CapabilityBoundingSet/);
  });

  test('a path that would begin a setting of its own is refused', () => {
    expect(() => unitText({ ...facts, home: '/srv/x\nExecStartPre=/bin/evil' })).toThrow('control character');
  });

  const isThere = spawnSync('systemd-analyze', ['--version']).status === 0;
  test.skipIf(!isThere)('is taken by systemd-analyze verify, where there is one', () => {
    const folder = path.join(tempFolder(), 'a home of 100% $HOME "x"');
    fs.mkdirSync(folder);
    const program = path.join(folder, 'main.js');
    fs.writeFileSync(program, '');
    const unit = path.join(folder, UNIT_NAME);
    const own = { ...facts, node: process.execPath, program, home: folder, envFile: path.join(folder, 'service.env') };
    fs.writeFileSync(unit, unitText(own));
    // It wants a place for its sockets, and a folder whose name is no puzzle.
    const runtime = tempFolder();
    fs.copyFileSync(unit, path.join(runtime, UNIT_NAME));
    const { status, stderr } = spawnSync('systemd-analyze', ['--user', 'verify', path.join(runtime, UNIT_NAME)], {
      env: { PATH: process.env.PATH, HOME: runtime, XDG_RUNTIME_DIR: runtime },
      encoding: 'utf8',
    });
    expect(stderr.split('\n').filter((line) => line.includes(UNIT_NAME))).toEqual([]);
    expect(status).toBe(0);
  });
});

describe('the agent of launchd', () => {
  /** A property list as plain data; throws for tags that do not fit. */
  function parsePlist(text: string): unknown {
    const open: { tag: string; items: unknown[]; text: string }[] = [{ tag: '', items: [], text: '' }];
    const parser = new Parser(
      {
        onopentag: (tag) => open.push({ tag, items: [], text: '' }),
        ontext: (data) => {
          const top = open.at(-1);
          if (top) top.text += data;
        },
        onclosetag(tag, isImplied) {
          const top = open.pop();
          if (isImplied && !['true', 'false'].includes(tag)) throw new Error(`<${tag}> is not closed`);
          open.at(-1)?.items.push(readValue(tag, top?.text ?? '', top?.items ?? []));
        },
      },
      { xmlMode: true },
    );
    parser.end(text);
    return open[0]?.items[0];
  }
  function readValue(tag: string, text: string, items: unknown[]): unknown {
    if (tag === 'true' || tag === 'false') return tag === 'true';
    if (tag === 'integer') return Number(text);
    if (tag === 'array') return items;
    if (tag === 'plist') return items[0];
    if (tag !== 'dict') return text;
    return Object.fromEntries(
      items.flatMap((_, index) => (index % 2 === 0 ? [[String(items[index]), items[index + 1]]] : [])),
    );
  }

  test('is a property list with whole paths, kept alive', () => {
    expect(parsePlist(agentText(facts))).toMatchObject({
      Label: 'org.openviber.gateway',
      ProgramArguments: [
        ...[facts.node, `--env-file-if-exists=${facts.envFile}`, facts.program, 'start', '--home', facts.home],
        ...['--config', facts.config],
      ],
      EnvironmentVariables: { PATH: '/opt/node 24/bin:/opt/homebrew/bin:/usr/local/bin:/usr/bin:/bin' },
      ...{ RunAtLoad: true, KeepAlive: true, ExitTimeOut: 30, Umask: 0o077, WorkingDirectory: facts.home },
    });
  });

  test('stands in the folder of the user, and is loaded for their session', () => {
    const { file, install, uninstall } = supervisorFor('darwin', { HOME: '/Users/ada' });
    expect(file).toBe('/Users/ada/Library/LaunchAgents/org.openviber.gateway.plist');
    expect(install[0]?.slice(0, 2)).toEqual(['launchctl', 'bootstrap']);
    expect(uninstall[0]?.slice(0, 2)).toEqual(['launchctl', 'bootout']);
    expect(() => supervisorFor('win32', {})).toThrow('systemd and launchd');
  });
});

describe.skipIf(process.platform !== 'linux')(
  'viber service on Linux, with stand-ins for systemctl and its like',
  () => {
    /** Programs that note how they were called; `failing` says something and fails. */
    function machine(options: { failing?: string; linger?: string } = {}) {
      const folder = tempFolder();
      const bin = path.join(folder, 'bin');
      const home = path.join(folder, 'the home');
      const log = path.join(folder, 'calls');
      fs.mkdirSync(bin);
      fs.writeFileSync(log, '');
      for (const name of ['systemctl', 'loginctl', 'journalctl']) {
        const line = `{"level":30,"time":0,"msg":"ready","port":6009}`;
        const answer = { loginctl: `echo ${options.linger ?? 'no'}`, journalctl: `echo '${line}'` }[name] ?? '';
        const failure = options.failing?.split(' ').includes(name) ? 'echo "Failed to connect to bus" >&2; exit 1' : '';
        fs.writeFileSync(path.join(bin, name), `#!/bin/sh\necho "${name} $*" >> "${log}"\n${answer}\n${failure}\n`, {
          mode: 0o755,
        });
      }
      const own = { PATH: `${bin}:/usr/bin:/bin`, HOME: folder };
      const viber = (args: string[], env: Record<string, string> = {}) =>
        ran(home, ['service', ...args], { env: { ...own, ...env } });
      const unit = path.join(folder, '.config/systemd/user', UNIT_NAME);
      return { home, unit, viber, calls: () => fs.readFileSync(log, 'utf8').trim().split('\n') };
    }

    test('installs, shows and removes it, and the home stays', async () => {
      const { home, unit, viber, calls } = machine();
      expect(await viber(['status'])).toMatchObject({
        code: 1,
        out: expect.stringContaining('./viber service install'),
      });
      const { code, out } = await viber(['install'], { TELEGRAM_BOT_TOKEN: '1:secret', OPENAI_API_KEY: 'sk-secret' });
      expect(code).toBe(0);
      expect(calls().slice(0, 3)).toEqual([
        'systemctl --user daemon-reload',
        `systemctl --user enable ${UNIT_NAME}`,
        `systemctl --user restart ${UNIT_NAME}`,
      ]);
      expect(out).toMatch(/TELEGRAM_BOT_TOKEN, OPENAI_API_KEY[\s\S]*service\.env/);
      expect(calls()).toContain('loginctl --no-ask-password enable-linger');
      expect(out).toMatch(/keeps running when you log out/);
      expect(out).not.toContain('secret');
      const text = fs.readFileSync(unit, 'utf8');
      expect(text).toContain(`"--home" "${home}"`);
      expect(text).toContain(`ExecStart="${process.execPath}" "${path.resolve(PROGRAM)}"`);
      expect(text).not.toContain('secret');
      // As people read them, in a pipe too; viber logs --json has them as they are.
      expect(await viber(['logs', '--follow'])).toMatchObject({ code: 0, out: '00:00:00 info ready  port=6009\n' });
      expect(calls().at(-1)).toBe(`journalctl --user --unit=${UNIT_NAME} --output=cat --lines=200 --follow`);
      expect((await viber(['uninstall'])).out).toContain('Stopped and removed');
      expect(calls()).toContain(`systemctl --user disable --now ${UNIT_NAME}`);
      expect([fs.existsSync(unit), fs.existsSync(home)]).toEqual([false, true]);
      expect((await viber(['uninstall'])).code).toBe(0);
    });

    test('keeps the variables of the shell where it is told to, for the owner alone, and never twice', async () => {
      const { home, viber } = machine({ linger: 'yes' });
      const file = path.join(home, 'service.env');
      fs.mkdirSync(home);
      fs.writeFileSync(file, 'OPENAI_API_KEY=mine\n', { mode: 0o644 });
      const proxy = { https_proxy: 'http://127.0.0.1:9', NO_PROXY: 'example.org' };
      const env = { TELEGRAM_BOT_TOKEN: '1:a b', OPENAI_API_KEY: 'other', UNRELATED: 'x', ...proxy };
      const { out } = await viber(['install', '--with-environment'], env);
      const kept = ['OPENAI_API_KEY=mine', 'TELEGRAM_BOT_TOKEN="1:a b"'];
      // The file stands for the environment of the service, in which this machine is asked without the proxy.
      const proxied = [
        'https_proxy="http://127.0.0.1:9"',
        ...['NO_PROXY', 'no_proxy'].map((name) => `${name}="example.org,localhost,127.0.0.1,::1,[::1]"`),
      ];
      const whole = `${[...kept, ...proxied].join('\n')}\n`;
      expect(fs.readFileSync(file, 'utf8')).toBe(whole);
      await viber(['install', '--with-environment'], env);
      expect(fs.readFileSync(file, 'utf8')).toBe(whole);
      expect(fs.statSync(file).mode & 0o777).toBe(0o600);
      expect(out).not.toMatch(/doesn't see|linger|log out/);
    });

    test('says so where it ends with the last session, and this user may not change that', async () => {
      const { viber } = machine({ failing: 'loginctl' });
      const { code, out } = await viber(['install']);
      expect(code).toBe(0);
      expect(out).toMatch(/ends when you log out\. To keep it running: sudo loginctl enable-linger \S/);
    });

    test('does not take the place of another home’s service', async () => {
      const { viber, unit } = machine();
      await viber(['install']);
      const before = fs.readFileSync(unit, 'utf8');
      const other = await viber(['install', '--home', tempFolder()]);
      expect(other).toMatchObject({ code: 1, err: expect.stringContaining('There is already a service for') });
      expect(fs.readFileSync(unit, 'utf8')).toBe(before);
    });

    test('says what to do where there is no session to run it in, and --print changes nothing', async () => {
      const { viber, unit, calls } = machine({ failing: 'systemctl' });
      const shown = await viber(['install', '--print']);
      expect(shown).toMatchObject({ code: 0, out: expect.stringContaining('[Service]') });
      expect([fs.existsSync(unit), calls()]).toEqual([false, ['']]);
      expect(await viber(['install'])).toMatchObject({
        code: 1,
        out: expect.stringMatching(/Failed to connect to bus\n[\s\S]*XDG_RUNTIME_DIR/),
      });
      // A unit that no manager has read would look like an installation.
      expect(fs.existsSync(unit)).toBe(false);
    });
  },
);
