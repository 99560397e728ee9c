// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are texts of the shell
/** The runner of scripts: what it gives a script, what it takes from it, and what a hostile one cannot do. */

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runScript } from '../../src/skills/script.ts';
import { eventually } from '../helpers/eventually.ts';
import { ownTime } from '../helpers/own-time.ts';
import { IN_SANDBOX, isSandboxed } from '../helpers/sandbox.ts';
import { call, folder, processesWith, run, skillOf, skillText, uniqueSleep, write } from './helpers.ts';

const inSandbox = test.skipIf(!isSandboxed);
const MODES = [
  { where: 'without the sandbox', sandbox: false, skip: false },
  { where: IN_SANDBOX, sandbox: true, skip: !isSandboxed },
];

for (const { where, sandbox, skip } of MODES) {
  describe.skipIf(skip)(where, () => {
    const at = (cwd: string) => ({ cwd, sandbox });

    test('gives back exit code and both streams, and stops at the first failure', async () => {
      const result = await run('echo out; echo err >&2; false; echo never', at(folder()));
      expect(result).toMatchObject({
        code: 1,
        signal: null,
        stdout: 'out\n',
        stderr: 'err\n',
        timedOut: false,
        truncated: false,
      });
      expect(result.sandboxed).toBe(sandbox);
    });

    test('when the gateway is killed its scripts end', async () => {
      const unique = uniqueSleep();
      const cwd = folder();
      const module = path.join(import.meta.dirname, '../../src/skills/script.ts');
      const program = `const { runScript } = await import(${JSON.stringify(module)});
      await runScript({ script: { shell: 'sh', text: 'trap "" TERM HUP; sleep ${unique} & echo > started; wait' },
        variables: {}, cwd: ${JSON.stringify(cwd)}, sandbox: ${sandbox} });`;
      const gateway = spawn(process.execPath, ['--input-type=module', '-e', program], {
        stdio: 'inherit',
        env: { ...process.env, TMPDIR: folder() },
      });
      await eventually(() => existsSync(path.join(cwd, 'started')));
      await eventually(() => processesWith(`sleep\0${unique}`).length > 0);
      gateway.kill('SIGKILL');
      await eventually(() => processesWith(`sleep\0${unique}`).length === 0);
    });

    test('works in the given folder, and in none that a link has taken the place of', async () => {
      const cwd = folder();
      write(path.join(cwd, 'real', 'in.txt'), 'in');
      symlinkSync('real', path.join(cwd, 'link'));
      const result = await run('cat in.txt; echo out > out.txt; pwd', at(path.join(cwd, 'real')));
      expect(result.stdout).toBe(`in${path.join(cwd, 'real')}\n`);
      expect(readFileSync(path.join(cwd, 'real', 'out.txt'), 'utf8')).toBe('out\n');
      await expect(run('pwd', at(path.join(cwd, 'link')))).rejects.toThrow('replaced by a link');
    });

    test('an environment of its own: nothing of ours, no input, a private home that is gone afterwards', async () => {
      process.env.SKILL_TEST_TOKEN = 'very-secret';
      onTestFinished(() => void Reflect.deleteProperty(process.env, 'SKILL_TEST_TOKEN'));
      const variables = { message: 'hi' };
      const script = { shell: 'sh' as const, text: 'env; cat; touch "$HOME/x" "$TMPDIR/y"; umask' };
      const result = await runScript({ script, variables, granted: { KEY: 'v' }, ...at(folder()) });
      const names = result.stdout.split('\n').flatMap((line) => /^(\w+)=/.exec(line)?.[1] ?? []);
      // biome-ignore format: a list is filled
      const ours = [
        'GIT_CEILING_DIRECTORIES', 'HOME', 'KEY', 'LANG', 'OPENVIBER_SCRIPT', 'PATH', 'TMPDIR', 'TZ', 'message',
      ];
      expect(names.filter((name) => name !== 'PWD').sort()).toEqual(ours);
      expect(result.stdout).not.toContain('very-secret');
      const home = /^HOME=(.*)$/m.exec(result.stdout)?.[1] ?? '';
      expect(path.isAbsolute(home)).toBe(true);
      expect(existsSync(path.dirname(home))).toBe(false);
    });

    test('bash blocks run in bash, sh blocks in sh', async () => {
      const text = 'echo "${BASH_VERSION:-none}" | cut -c1-4';
      const [bash, sh] = await Promise.all(
        (['bash', 'sh'] as const).map((shell) =>
          runScript({ script: { shell, text }, variables: {}, ...at(folder()) }),
        ),
      );
      expect(bash?.stdout).not.toBe('none\n');
      expect(sh?.stdout).toBe('none\n');
    });

    test('its own folder is in SKILL_DIR', async () => {
      const root = folder();
      const file = write(path.join(root, 'skill', 'SKILL.md'), '');
      write(path.join(root, 'skill', 'data.txt'), 'data');
      mkdirSync(path.join(root, 'work'));
      const order = { ...at(path.join(root, 'work')), skillFolder: path.dirname(file) };
      expect((await run('cat "$SKILL_DIR/data.txt"', order)).stdout).toBe('data');
    });

    test('time is up: the whole group ends', async () => {
      const unique = uniqueSleep();
      const text = `for i in 1 2 3 4 5 6 7 8 9 10; do sleep ${unique} & done; trap '' TERM; sleep ${unique}; sleep ${unique}`;
      const result = await run(text, { ...at(folder()), timeoutMs: 400 });
      expect(result.timedOut).toBe(true);
      expect(result.ms).toBeLessThan(5000);
      expect(processesWith(unique)).toEqual([]);
    });

    test('what it leaves behind ends with it, and is not waited for', async () => {
      const unique = uniqueSleep();
      const started = ownTime();
      const result = await run(
        `sleep ${unique} & (sleep ${unique} &) ; nohup sleep ${unique} & echo done`,
        at(folder()),
      );
      expect(result).toMatchObject({ code: 0, stdout: 'done\n' });
      expect(ownTime() - started).toBeLessThan(5000);
      expect(processesWith(unique)).toEqual([]);
    });

    test('daemons that leave the group end as well', async () => {
      const unique = uniqueSleep();
      const daemon = `setsid sh -c 'sleep ${unique}; :' > /dev/null 2>&1 &`;
      const bare = `setsid env -i sh -c 'sleep ${unique}; :' > /dev/null 2>&1 &`;
      const result = await run(
        `${daemon}\n${bare}\nsetsid setsid nohup sleep ${unique} > /dev/null 2>&1 &\nsleep 0.1; ls /proc/self/fd | tr '\\n' ' ' >&2; echo started`,
        at(folder()),
      );
      expect(result.stdout).toBe('started\n');
      expect(processesWith(unique)).toEqual([]);
      // Nothing of ours is open in it, only what any process here is born with.
      const plain = spawnSync('sh', ['-c', "ls /proc/self/fd | tr '\\n' ' '"], { encoding: 'utf8' });
      expect(result.stderr).toBe(plain.stdout);
    });

    test('forks without end are ended in time', async () => {
      const unique = uniqueSleep();
      const text = `n=0; while [ $n -lt 60 ]; do (setsid sleep ${unique} &); n=$((n+1)); done; while :; do :; done`;
      const result = await run(text, { ...at(folder()), timeoutMs: 600 });
      expect(result.timedOut).toBe(true);
      expect(processesWith(unique)).toEqual([]);
    });

    test('output without end is bounded, and ended', async () => {
      const started = ownTime();
      const result = await run('yes 0123456789', at(folder()));
      expect(result).toMatchObject({ truncated: true, timedOut: false });
      expect(result.stdoutBytes).toBeGreaterThan(8 * 1024 * 1024);
      expect(Buffer.byteLength(result.stdout)).toBeLessThan(65 * 1024);
      expect(ownTime() - started).toBeLessThan(10_000);
    });

    test('of long output the beginning and the end are kept, characters whole', async () => {
      const result = await run(
        "echo first; i=0; while [ $i -lt 3000 ]; do printf 'zeile äöü€ 日本語 %s\\n' $i; i=$((i+1)); done; echo last >&2; echo last",
        at(folder()),
      );
      expect(result.truncated).toBe(true);
      expect(result.stdout).toMatch(/^first\nzeile/);
      expect(result.stdout).toMatch(/\[\.\.\. left out \.\.\.\]\n[\s\S]*2999\nlast\n$/);
      expect(result.stdout).not.toContain('\ufffd');
      expect(result.stderr).toBe('last\n');
      expect(result.stdoutBytes).toBeGreaterThan(64 * 1024);
    });

    test('granted values are masked in what comes back, however they are written', async () => {
      const granted = { TOKEN: 'top/secret+"value"' };
      const encode = [
        'printf %s "$TOKEN" | base64',
        'printf %s "$TOKEN" | sed \'s/"/\\\\"/g\'',
        'echo "$TOKEN" >&2; echo "$TOKEN"',
      ];
      const result = await run(encode.join('\n'), { ...at(folder()), granted });
      expect(result.stdout + result.stderr).not.toMatch(/secret\+|dG9wL3NlY3JldCs/);
      expect(result.stdout.match(/\[secret\]/g)).toHaveLength(3);
      expect(result.stderr).toBe('[secret]\n');
    });

    test('a granted value that the cut goes through is masked', async () => {
      const granted = { TOKEN: 'abcdefghijklmnopqrstuvwxyz0123456789' };
      for (let shift = 0; shift < 40; shift += 13) {
        const text = `head -c ${32 * 1024 - shift} /dev/zero | tr '\\0' x; printf %s "$TOKEN"; head -c 90000 /dev/zero | tr '\\0' y; printf %s "$TOKEN"; head -c ${32 * 1024 - shift} /dev/zero | tr '\\0' z`;
        const { stdout } = await run(text, { ...at(folder()), granted });
        expect(stdout).not.toMatch(/abcd|6789|lmno/);
      }
    });

    test('an abort ends it and is thrown', async () => {
      const unique = uniqueSleep();
      const control = new AbortController();
      const cwd = folder();
      const ended = run(`echo > started; sleep ${unique}`, { ...at(cwd), signal: control.signal });
      const rejected = expect(ended).rejects.toThrow('stopped by Alex');
      await eventually(() => existsSync(path.join(cwd, 'started')));
      control.abort(new Error('stopped by Alex'));
      await rejected;
      expect(processesWith(unique)).toEqual([]);
      await expect(run('echo', { ...at(cwd), signal: control.signal })).rejects.toThrow('stopped by Alex');
    });

    test('memory, files and core dumps are limited', async () => {
      const result = await run('ulimit -c; ulimit -n; ulimit -d; ulimit -f; ulimit -t', at(folder()));
      expect(result.stdout.trim().split('\n')).toEqual(['0', '1024', '2097152', '2097152', '65']);
    });

    test('what it makes unreadable in its home is no failure', async () => {
      const result = await run('mkdir -p "$HOME/a/b"; chmod 0 "$HOME/a/b" "$HOME/a"; echo done', at(folder()));
      expect(result).toMatchObject({ code: 0, stdout: 'done\n' });
    });

    test('many at once do not mix', async () => {
      const cwd = folder();
      const skill = skillOf(
        skillText('parameters: { n: { type: number, required: true } }', 'echo "$n"; sleep 0.05; echo "$n"'),
      );
      const all = await Promise.all(Array.from({ length: 8 }, (_, n) => call(skill, { n }, at(cwd))));
      expect(all.map(({ stdout }) => stdout)).toEqual(Array.from({ length: 8 }, (_, n) => `${n}\n${n}\n`));
    });

    test('values that are too long together are refused with a reason', async () => {
      const variables = Object.fromEntries(
        Array.from({ length: 40 }, (_, index) => [`v${index}`, 'x'.repeat(100_000)]),
      );
      const order = { script: { shell: 'sh' as const, text: 'echo' }, variables, ...at(folder()) };
      await expect(runScript(order)).rejects.toThrow('too long together');
    });
  });
}

test('what a killed gateway left behind is removed by the next one', async () => {
  const tmp = folder();
  const [old, fresh] = ['viber-script-old', 'viber-script-new'].map((name) => path.join(tmp, name));
  write(path.join(old ?? '', 'script'), 'echo');
  write(path.join(fresh ?? '', 'script'), 'echo');
  utimesSync(old ?? '', new Date(0), new Date(0));
  const module = path.join(import.meta.dirname, '../../src/skills/script.ts');
  const program = `const { runScript } = await import(${JSON.stringify(module)});
    await runScript({ script: { shell: 'sh', text: 'echo' }, variables: {}, cwd: ${JSON.stringify(folder())} });`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    env: { ...process.env, TMPDIR: tmp },
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, '']);
  expect(readdirSync(tmp)).toEqual(['viber-script-new']);
});

test('a folder that is not there, or everything there is, is refused', async () => {
  const cwd = folder();
  await expect(run('echo', { cwd: path.join(cwd, 'none') })).rejects.toThrow('is not there');
  await expect(run('echo', { cwd: write(path.join(cwd, 'file'), '') })).rejects.toThrow('is not there');
  await expect(run('echo', { cwd: '/' })).rejects.toThrow('is not there');
});

describe(`only ${IN_SANDBOX}`, () => {
  inSandbox('no file of this machine is seen but the system, the work folder and its own', async () => {
    const root = folder();
    const config = write(path.join(root, 'config.yaml'), 'token: abc');
    write(path.join(root, 'work', 'mine'), 'mine');
    const seen = [
      config,
      '/etc/shadow',
      '/etc/hostname',
      path.join('/', 'root'),
      path.join('/', 'home'),
      '/var',
      '/run',
      '/sys',
      '/mnt',
    ];
    const text = `${seen.map((file) => `if [ -e '${file}' ]; then echo 'sees ${file}'; fi`).join('\n')}\nls ..; cat mine; ls /tmp`;
    const result = await run(text, { cwd: path.join(root, 'work') });
    expect(result.stdout).not.toContain('sees');
    expect(result.stdout.split('\n')[0]).toBe('work');
    expect(result.stdout).toContain('mine');
    expect(result.stdout).not.toContain('abc');
  });

  inSandbox('nothing outside the work folder is written', async () => {
    const root = folder();
    const skillFolder = path.dirname(write(path.join(root, 'skill', 'SKILL.md'), 'text'));
    mkdirSync(path.join(root, 'work'));
    // Opened for writing, and nothing written: were one of them open, this machine should not change.
    // biome-ignore format: a row is a line
    const targets = [
      ...['/usr/bin/env', '/usr/bin/viber-canary', '/etc/passwd', '/etc/viber-canary', '/viber-canary', '/proc/viber-canary'],
      ...['/proc/sys/kernel/core_pattern', '/proc/sys/kernel/hostname', '/proc/sys/vm/drop_caches', '/proc/sysrq-trigger'],
      ...['/proc/sys/net/ipv4/ip_forward', '/proc/1/mem', '/sys/power/state', '/dev/mem', '/dev/kmsg', '/dev/vda', '/dev/sda'],
      ...['$SKILL_DIR/viber-canary', '$SKILL_DIR/SKILL.md', '$0'],
    ];
    const text = [
      'set +e',
      ...targets.map((file) => `( : >> "${file}" ) 2>/dev/null && echo "opened ${file}"`),
      'mount -t tmpfs x /usr 2>/dev/null && echo mounted',
      'unshare -Ur mount -o remount,rw,bind /proc 2>/dev/null && echo remounted',
      'chmod 777 "$SKILL_DIR" 2>/dev/null && echo changed',
      'find /proc/sys -type f -writable 2>/dev/null | head -3',
      `echo x > '${path.join(root, 'beside')}'`,
      'echo end',
    ].join('\n');
    const result = await run(text, { cwd: path.join(root, 'work'), skillFolder });
    expect(result.stdout).toBe('end\n');
    // What looks like the folder above is a place in the sandbox's memory at most.
    expect(existsSync(path.join(root, 'beside'))).toBe(false);
    expect(readFileSync(path.join(skillFolder, 'SKILL.md'), 'utf8')).toBe('text');
  });

  inSandbox('no process has anything open that leads out', async () => {
    const { stdout } = await run(
      'for p in /proc/[0-9]*; do ls -l $p/fd; done 2>/dev/null | grep -o "[>] .*" | sort -u',
      {
        cwd: folder(),
      },
    );
    const plain = stdout
      .split('\n')
      .filter((line) => line !== '' && !/^> (\/dev\/null|pipe:|anon_inode:|\/proc\/\d+\/fd|socket:)/.test(line));
    expect(plain.filter((line) => !line.endsWith('/script'))).toEqual([]);
  });

  inSandbox('links in the work folder lead nowhere', async () => {
    const root = folder();
    write(path.join(root, 'secret'), 'secret');
    mkdirSync(path.join(root, 'work'));
    symlinkSync('../secret', path.join(root, 'work', 'a'));
    symlinkSync('/etc/shadow', path.join(root, 'work', 'b'));
    const result = await run('cat a; cat b', { cwd: path.join(root, 'work') });
    expect(result.code).not.toBe(0);
    expect(result.stdout).toBe('');
  });

  inSandbox('names and certificates are there with network only', async () => {
    const text = '[ -e /etc/hosts ] && echo names; [ -d /etc/ssl ] && echo certificates; echo end';
    expect((await run(`set +e\n${text}`, { cwd: folder() })).stdout).toBe('end\n');
    if (existsSync('/etc/hosts'))
      expect((await run(`set +e\n${text}`, { cwd: folder(), network: true })).stdout).toContain('names');
  });

  inSandbox('no other process is seen, and one that hides its environment ends as well', async () => {
    const unique = uniqueSleep();
    const hidden = `env -i setsid sh -c 'sleep ${unique}' > /dev/null 2>&1 &`;
    const result = await run(`${hidden}\nls -d /proc/[0-9]* | wc -l; kill -9 ${process.pid} 2>/dev/null || echo kept`, {
      cwd: folder(),
    });
    expect(Number(result.stdout.split('\n')[0])).toBeLessThan(10);
    expect(result.stdout).toContain('kept');
    expect(processesWith(unique)).toEqual([]);
  });
});

test.skipIf(process.platform !== 'linux').each([true, false])(
  'is the first to go when memory is short, in a sandbox or not (%s)',
  async (sandbox) => {
    const { stdout } = await run('cat /proc/self/oom_score_adj', { cwd: folder(), sandbox });
    expect(stdout).toBe('1000\n');
    expect(readFileSync('/proc/self/oom_score_adj', 'utf8').trim()).not.toBe('1000');
  },
);
