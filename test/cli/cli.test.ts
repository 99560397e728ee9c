/** The command line as people use it, with and without a gateway running. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { createServer, type Server } from 'node:net';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startLlm } from '../emulators/llm.ts';
import { startTelegram } from '../emulators/telegram.ts';
import { PROGRAM } from '../helpers/program.ts';
import { tempFolder } from '../helpers/temp.ts';
import { startProgram, viber, viberProcess } from '../helpers/viber.ts';
import { PLACES, WRONG } from '../helpers/wrong-places.ts';

/** A gateway on an emulated Telegram, until the test ends. */
async function running(home: string, settings: object = {}) {
  const telegram = await startTelegram();
  const config = {
    model: 'offline/viber',
    channels: { telegram: { token: telegram.token, apiRoot: telegram.url } },
    http: { port: 0, token: 'a-token-for-programs' },
    limits: { freeBytes: 0 },
    ...settings,
  };
  fs.writeFileSync(path.join(home, 'config.json'), JSON.stringify(config));
  onTestFinished(() => telegram.close());
  await startProgram(home);
  return telegram;
}

describe('with nothing configured but a port of its own', () => {
  it('talks over piped input: plan, file, path of the file; answers in order and ends with 0', async () => {
    const home = tempFolder();
    fs.writeFileSync(path.join(home, 'config.yaml'), 'http: { port: 0 }\n');
    const input = 'make a plan: one; two\ndone 1\nwrite a file a.txt: hello\n/plan\n';
    const { code, out, err } = await viberProcess(home, ['start'], { input, env: { NODE_NO_WARNINGS: '1' } });
    expect(code).toBe(0);
    expect(out).toMatch(/2 steps[\s\S]*Step 1[\s\S]*a\.txt[\s\S]*1\. ✓ one\n2\. ○ two/);
    const file = /file: (.+?) {2}\(/.exec(out)?.[1] ?? '';
    expect(fs.readFileSync(file, 'utf8').trim()).toBe('hello');
    expect(out).not.toContain('"msg"');
    expect(err).toContain('"msg":"ready"');
  });

  it.each([
    ['', undefined],
    [':/etc/localtime', undefined],
    ['Berlin', 'Europe/Berlin'],
    ['europe/berlin', 'Europe/Berlin'],
    ['CET-1CEST', 'Europe/Berlin'],
    ['UTC+3', 'Etc/GMT+3'],
  ])('goes by the zone that TZ=%j means, wherever it is set, and the doctor names it', async (TZ, zone) => {
    const home = tempFolder();
    const { code, out } = await viber(home, ['chat'], { input: '/timezone\n', env: { TZ } });
    expect(code).toBe(0);
    expect(out).toContain(zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone);
    fs.writeFileSync(path.join(home, '.env'), `TZ=${JSON.stringify(TZ)}\n`);
    const doctor = await viber(home, ['doctor']);
    expect(doctor.out).toMatch(new RegExp(`[✓!] time zone .*${(zone ?? '').replace('+', '[+]')}`));
  });

  it.each([['Berlin'], ['UTC+3']])('warns at the start of TZ=%s only if it means west of Greenwich', async (TZ) => {
    const home = tempFolder();
    fs.writeFileSync(path.join(home, 'config.yaml'), 'http: { port: 0 }\n');
    const { code, err } = await viberProcess(home, ['start'], { input: '/timezone\n', env: { TZ } });
    expect([code, err.includes('west of Greenwich')]).toEqual([0, TZ === 'UTC+3']);
  });

  it.each(['Etc/Unknown', 'Mars/Olympus', 'UTC+99', '/etc/passwd'])('refuses TZ=%s by its name', async (TZ) => {
    const home = tempFolder();
    const { code, err } = await viber(home, ['start'], { env: { TZ } });
    expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(/^TZ: .* isn't a time zone/) });
    const doctor = await viber(home, ['doctor'], { env: { TZ } });
    expect(doctor).toMatchObject({ code: 2, out: expect.stringContaining(`✗ time zone      TZ: "${TZ}" isn't`) });
  });

  it('starts and searches with folders, links and garbage in the place of everything that can be made again', async () => {
    const home = tempFolder();
    const input = 'make a plan: one; two\n/memory search anything\n/plan\n';
    const plain = await viber(home, ['chat'], { input });
    const databases = [
      ...['cache/cache.sqlite', 'run/lock.sqlite', 'run/memory-default.lock'],
      ...['vibers/default/memory.sqlite', 'workspace/memory.sqlite'],
    ].map((name) => path.join(home, name));
    const kinds = Object.entries(WRONG).flatMap(([kind, put]) => (kind === 'a pipe' ? [] : [put]));
    for (const [at, side] of [...PLACES, ...PLACES].entries()) {
      for (const [nth, file] of databases.filter((each) => fs.existsSync(path.dirname(each))).entries()) {
        if (side === '' && at >= PLACES.length) continue;
        fs.rmSync(file + side, { recursive: true, force: true });
        kinds[(at + nth) % kinds.length]?.(file + side);
      }
      const again = await viber(home, ['chat'], { input: '/plan\n/memory search anything\n' });
      expect(again).toMatchObject({ code: 0, out: expect.stringMatching(/1\. . one\n2\. . two/) });
    }
    expect(plain.code).toBe(0);
  });

  it('runs one task from the shell, with --json too', async () => {
    const home = tempFolder();
    const plain = await viber(home, ['run', 'write a file b.txt: hi']);
    expect(plain).toMatchObject({ code: 0, out: expect.stringMatching(/file: .*\.txt/) });
    const { out } = await viber(home, ['run', '--json', 'write a file c.txt: hi']);
    expect(JSON.parse(out)).toMatchObject({ files: [{ name: 'c.txt', mimeType: 'text/plain' }] });
  });

  it('runs a task by a given plan and memory, and prints what programs are told of its end', async () => {
    const llm = await startLlm();
    onTestFinished(() => llm.close());
    const home = tempFolder();
    const providers = { x: { baseURL: llm.url, apiKey: 'sk-test-model-key-123' } };
    fs.writeFileSync(path.join(home, 'config.json'), JSON.stringify({ model: 'x/y', providers }));
    fs.mkdirSync(path.join(home, 'workspace'));
    fs.writeFileSync(path.join(home, 'workspace', 'MEMORY.md'), '# Memory\n\n## Facts\n- Likes purple prose\n');
    const [plan, memory] = [path.join(home, 'plan.json'), path.join(home, 'memory.md')];
    fs.writeFileSync(plan, JSON.stringify({ goal: 'Ship', steps: [{ id: '1', title: 'Pack it', status: 'pending' }] }));
    fs.writeFileSync(memory, '- Short sentences only');
    llm.script([{ text: 'Packed.' }]);
    const { out } = await viber(home, ['run', '--json', '--plan', plan, '--memory', memory, 'ship it']);
    const end = { state: 'completed', text: 'Packed.', summary: 'Packed.', artifactRefs: [] };
    expect(JSON.parse(out)).toMatchObject({ ...end, taskId: expect.any(String), runId: expect.any(String) });
    const asked = JSON.stringify([llm.requests()[0]?.system, llm.requests()[0]?.messages]);
    expect(asked).toContain('Pack it');
    expect(asked).toContain('Short sentences only');
    expect(asked).not.toContain('purple');
    fs.writeFileSync(plan, '{"steps": 1}');
    expect(await viber(home, ['run', '--plan', plan, 'ship it'])).toMatchObject({
      ...{ code: 1, err: expect.stringContaining("isn't a plan") },
    });
  });

  it('makes a home and a configuration with init, and changes nothing the second time', async () => {
    const home = path.join(tempFolder(), 'new');
    expect((await viber(home, ['init'])).code).toBe(0);
    fs.appendFileSync(path.join(home, 'config.yaml'), '# mine\n');
    expect((await viber(home, ['init'])).out).toContain('To change the settings, edit');
    expect(fs.readFileSync(path.join(home, 'config.yaml'), 'utf8')).toContain('# mine');
    expect(fs.statSync(home).mode & 0o777).toBe(0o700);
    expect((await viber(home, ['doctor'])).out).toMatch(/✓ configuration[\s\S]*✓ home[\s\S]*✓ model/);
  });

  it('talks to the viber that --viber names, apart from the usual one, until another is chosen there', async () => {
    const home = tempFolder();
    fs.mkdirSync(path.join(home, 'agents'));
    fs.writeFileSync(path.join(home, 'agents/dev.yaml'), 'prompt: You mend programs\n');
    const dev = await viber(home, ['chat', '--viber', 'dev'], {
      input: 'write a file a.txt: x\n/use\n/use default\n/use\n',
    });
    expect(dev.out).toMatch(/talking to \*\*dev\*\* here\.[\s\S]*from now on[\s\S]*talking to \*\*default\*\* here\./);
    const usual = await viber(home, ['chat'], { input: '/use\n/tasks\n' });
    expect(usual.out).toMatch(/talking to \*\*default\*\* here/);
    expect(usual.out).toMatch(/a\.txt.*, dev/);
    await viber(home, ['run', '--viber', 'dev', 'write a file b.txt: y']);
    expect(fs.readdirSync(path.join(home, 'agents/dev/sessions'))).toHaveLength(2);
    const none = await viber(home, ['chat', '--viber', 'devv'], { input: 'hello\n' });
    expect(none.code).toBe(1);
    expect(none.err).toContain('There is no viber "devv". There is: default, dev.');
  });

  it('answers what comes through a pipe to viber chat, whether its last line ends or not, and ends with 0', async () => {
    const home = tempFolder();
    for (const input of ['hello', 'hello\n', 'hello\n\nhello\n']) {
      const { code, out, err } = await viber(home, ['chat'], { input, env: { NODE_NO_WARNINGS: '1' } });
      const answers = input.match(/hello/g)?.length ?? 0;
      expect({ code, err, answers: out.match(/^Hello/gm)?.length }).toEqual({ code: 0, err: '', answers });
      // Nothing but the answers.
      expect(out.split(/^(?=Hello)/m)).toHaveLength(answers);
      expect(out).not.toMatch(/viber>|you>/);
    }
  });

  it('takes a number from a pipe for the button it was shown with, of a question and of a run that waits', async () => {
    const home = tempFolder();
    const memory = await viber(home, ['chat'], {
      input: 'remember that I like tea\n7\n!7\n1\n!1\nwhat do you know?\n',
    });
    expect(memory.out).toMatch(
      /\[1\] Accept {3}\[2\] Edit {3}\[3\] Reject[\s\S]*I'll remember: `I like tea`[\s\S]*I remember:\n- I like tea/,
    );
    expect([memory.code, memory.err.match(/There is no button 7/g)?.length]).toEqual([1, 1]);
    const llm = await startLlm();
    onTestFinished(() => llm.close());
    const config = { model: 'x/y', providers: { x: { baseURL: llm.url } } };
    fs.writeFileSync(path.join(home, 'config.json'), JSON.stringify(config));
    const question = { question: 'Which colour?', options: ['Red', 'Blue'] };
    llm.script(({ lastUser, toolResults }) => {
      if (lastUser.endsWith('next')) return { text: 'And now the next.' };
      return toolResults.length > 0
        ? { text: `You chose ${JSON.stringify(toolResults).includes('Blue') ? 'blue' : 'nothing'}.`, delayMs: 500 }
        : { toolCalls: [{ name: 'ask_user', arguments: question }] };
    });
    const { out, code } = await viber(home, ['chat'], { input: 'paint it\n2\nnext\n' });
    expect(out).toMatch(/Which colour\?[\s\S]*\[1\] Red {3}\[2\] Blue\nYou chose blue\.\nAnd now the next\.\n$/);
    expect(code).toBe(0);
  });

  it('ends viber run with 1 when the work failed, and says why on standard output', async () => {
    const home = tempFolder();
    const other = createServer((socket) => socket.destroy());
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    onTestFinished(() => void other.close());
    const baseURL = `http://127.0.0.1:${portOf(other)}/v1`;
    fs.writeFileSync(path.join(home, 'config.json'), JSON.stringify({ model: 'x/y', providers: { x: { baseURL } } }));
    const plain = await viber(home, ['run', 'hello']);
    expect(plain).toMatchObject({ code: 1, out: expect.stringContaining('The provider "x" can\'t be reached') });
    const { code, out } = await viber(home, ['run', '--json', 'hello']);
    expect({ code, state: JSON.parse(out).state }).toEqual({ code: 1, state: 'error' });
    expect((await viber(home, ['trace'])).out).toMatch(/ failed +local .*"hello"/);
  });

  it('names what is wrong: a command, a goal, an id, a status without a gateway', async () => {
    const home = tempFolder();
    expect(await viber(home, ['dance'])).toMatchObject({ code: 1, err: expect.stringContaining('start, chat, run') });
    expect(await viber(home, ['run'])).toMatchObject({ code: 1, err: expect.stringContaining('GOAL') });
    for (const [goal, said] of [
      ['/nonsense', /I don't know .*nonsense/],
      ['/taks', /\/tasks/],
    ] as const)
      expect(await viber(home, ['run', goal])).toMatchObject({ code: 1, out: expect.stringMatching(said) });
    expect(await viber(home, ['run', '/tasks'])).toMatchObject({ code: 0 });
    expect(await viber(home, ['trace', 'zzz'])).toMatchObject({ code: 1, err: expect.stringContaining('trace ID') });
    expect(await viber(home, ['status'])).toMatchObject({ code: 1, out: expect.stringContaining('No gateway') });
    expect(await viberProcess(home, ['start', '--config', 'missing.yaml'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('missing.yaml'),
    });
  });
});

describe('a port that is taken', () => {
  it('is named with the setting, exit code 2', async () => {
    const other = createServer();
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    const port = portOf(other);
    const home = tempFolder();
    fs.writeFileSync(path.join(home, 'config.json'), JSON.stringify({ http: { port } }));
    const result = await viberProcess(home, ['start'], { input: 'hello\n' });
    other.close();
    expect(result).toMatchObject({
      code: 2,
      err: expect.stringMatching(new RegExp(`http\\.port: port ${port} .* in use`)),
    });
  });
});

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

describe('while the gateway runs', () => {
  it('lets nobody in as an owner from the shell where the configuration names one', async () => {
    const home = tempFolder();
    const telegram = await running(home, { people: [{ name: 'alex', role: 'owner', ids: ['telegram:1001'] }] });
    telegram.say(4242, 'hello');
    const told = await telegram.wait({ chat: 4242, from: 'bot' });
    const code = /\b[A-HJ-NP-Z2-9]{8}\b/.exec(told.text)?.[0] ?? '';
    expect((await viber(home, ['pair', 'approve', code])).out).toContain('as member');
  });

  it('pairs a stranger, tells its status, traces a message, and runs a task', async () => {
    const home = tempFolder();
    const telegram = await running(home);
    telegram.say(4242, 'hello');
    const told = await telegram.wait({ chat: 4242, from: 'bot' });
    const code = /\b[A-HJ-NP-Z2-9]{8}\b/.exec(told.text)?.[0] ?? '';
    const { pending } = JSON.parse((await viber(home, ['pair', 'list', '--json'])).out);
    expect(pending).toMatchObject([{ code, identity: 'telegram:4242' }]);
    expect((await viber(home, ['pair', 'approve', code])).out).toContain('as owner');
    await telegram.wait({ chat: 4242, from: 'bot', text: "You're in" });
    telegram.say(4242, 'remember that I like tea');
    await telegram.wait({ chat: 4242, from: 'bot', text: 'tea' });

    const status = JSON.parse((await viber(home, ['status', '--json'])).out);
    expect(status).toMatchObject({
      running: true,
      readiness: { ready: true, channels: { telegram: { state: 'connected' } } },
    });
    const table = (await viber(home, ['status'])).out;
    expect(table).toMatch(/^Gateway +process \d+$/m);
    expect(table).toMatch(/^Telegram +connected$/m);
    expect(table).toMatch(/^Board and programs +connected$/m);
    expect(table).toMatch(/^Command line +connected$/m);
    expect(table).not.toMatch(/ingress|^Only|^Api|^Local/m);
    const [file = ''] = fs.readdirSync(path.join(home, 'agents/default/sessions'));
    const run = JSON.parse(
      fs
        .readFileSync(path.join(home, 'agents/default/sessions', file), 'utf8')
        .trim()
        .split('\n')
        .at(-1) ?? '',
    ).run;
    expect((await viber(home, ['trace', run])).out).toMatch(
      /accepted +from telegram[\s\S]*claimed[\s\S]*model call[\s\S]*remember[\s\S]*result +completed[\s\S]*sent +part 0 as \d+[\s\S]*spool\/log\//,
    );
    const { events } = JSON.parse((await viber(home, ['trace', run, '--json'])).out);
    expect(events.map((event: { at: string }) => event.at)).toEqual(events.map(({ at }: { at: string }) => at).sort());
    expect((await viber(home, ['run', 'write a file d.txt: hi'])).out).toMatch(/file: /);
    expect((await viber(home, ['chat'], { input: '/help\n' })).out).toContain('/tasks');
    // Nothing after the word that ends it is said; what is empty shows no headings.
    const ended = await viber(home, ['chat'], { input: '/jobs\n/memory\n/exit\n/help\n' });
    expect(ended.out).toMatch(/^There are no scheduled jobs\. With a language model [^\n]*\nMy memory is empty\.\n/);
    expect(ended.out).not.toContain('/tasks');
  });
});

describe('what a newcomer reads', () => {
  const env = { NODE_NO_WARNINGS: '1' };
  const german = { ...env, LANG: 'de_DE.UTF-8' };

  it('answers a skill command once, says where the Board is, and keeps the lines of the memory', async () => {
    const home = tempFolder();
    fs.mkdirSync(path.join(home, 'skills/release_notes'), { recursive: true });
    const skill = '---\nname: release_notes\ndescription: Writes them.\n---\nWrite.\n';
    fs.writeFileSync(path.join(home, 'skills/release_notes/SKILL.md'), skill);
    const memory = '# Memory\n\n## Likes\n- tea in the\n  morning\n- Earl Grey tea\n- coffee\n\nTea at four.\n';
    fs.mkdirSync(path.join(home, 'workspace'));
    fs.writeFileSync(path.join(home, 'workspace/MEMORY.md'), memory);
    const input = '/release_notes for version 1.2\n/board\n/memory tea\n/memory likes\n';
    const { code, out } = await viber(home, ['chat'], { input, env });
    expect(code).toBe(0);
    expect(out).not.toMatch(/\/task|http\.host|#/);
    expect(out).toMatch(/start it with `[^`]* start[^`]*`, and send \/board again/);
    expect(out).toContain('\n- tea in the morning\n- Earl Grey tea\n- Tea at four.\n');
    expect(out).toMatch(/\n- coffee\n- Tea at four\.\n$/);
  });

  it('names the file of a wrong setting and of an unknown one; a stack is no news', async () => {
    const home = tempFolder();
    const file = path.join(home, 'config.yaml');
    fs.writeFileSync(file, 'http: { port: abc }\n');
    const wrong = await viberProcess(home, ['start'], { env });
    expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining(`\nThe settings are in ${file}.\n`) });
    expect((await viberProcess(home, ['start'], { env: german })).err).toContain(
      `Die Einstellungen stehen in ${file}.`,
    );
    fs.writeFileSync(file, 'http: { port: 0 }\nmodl: x\n');
    const { code, err } = await viberProcess(home, ['start'], { input: 'think about it\n', env });
    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining(`"${file}: modl: unknown key`) });
    expect(err).toContain('the run failed');
    expect(err).not.toContain('"stack"');
  });

  it('is in the language of the machine, and says where logs are', async () => {
    const home = tempFolder();
    fs.mkdirSync(path.join(home, 'jobs'));
    fs.writeFileSync(path.join(home, 'config.yaml'), 'modl: x\n');
    fs.writeFileSync(path.join(home, 'jobs/x.yaml'), 'name: x\nschedul: every business day\nprompt: y\n');
    const problem = 'x.yaml, Zeile 2, schedul: diesen Schlüssel gibt es nicht; meintest du schedule?';
    expect((await viber(home, ['jobs', 'list'], { env: german })).out).toContain(problem);
    const doctor = (await viber(home, ['doctor'], { env: german })).out;
    expect(doctor).toContain(problem);
    expect(doctor).toContain('modl: unbekannter Schlüssel');
    expect(doctor).not.toContain('unknown key');
    const half = await viber(home, ['jobs', 'when', 'daily at 5'], { env: german });
    expect(half.err).toMatch(/welche Tageshälfte gemeint ist.*„daily at 05:00“ oder „daily at 17:00“/);
    const old = await viber(home, ['jobs', 'when', 'every business day'], { env: german });
    expect(old.err).toMatch(/„business“ kenne ich da nicht\. .*„weekdays at 9“/);
    const logs = await viber(home, ['service', 'logs'], { env });
    expect(logs).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^No service is installed.* start.* service install/),
    });
  });
});

it.each(['start', 'chat', 'joined'])(
  'viber %s speaks the language of its own session, whatever the last one spoke',
  async (command) => {
    const home = tempFolder();
    fs.writeFileSync(path.join(home, 'config.yaml'), 'http: { port: 0 }\n');
    if (command === 'joined') await running(home);
    const answered = async (env: Record<string, string>) => {
      const clean = { NODE_NO_WARNINGS: '1', LC_ALL: '', LC_MESSAGES: '', LANG: '', ...env };
      const words = command === 'joined' ? ['run', 'think about it'] : [command];
      const ran = command === 'start' ? viberProcess : viber;
      return (await ran(home, words, { input: 'think about it\n', env: clean })).out;
    };
    const english = /I can't do that without a language model/;
    const german = /Das kann ich ohne Sprachmodell nicht/;
    expect(await answered({ LANG: 'de_DE.UTF-8' })).toMatch(german);
    expect(await answered({})).toMatch(english);
    if (command === 'start') return;
    expect(await answered({ LC_MESSAGES: 'de_AT' })).toMatch(german);
    expect(await answered({ LANG: 'de_DE.UTF-8', LC_ALL: 'C.UTF-8' })).toMatch(english);
    expect(await answered({ LANG: 'en_US.UTF-8' })).toMatch(english);
  },
);

describe.each(['chat', 'start'])('viber %s with a line that is answered twice', (command) => {
  it.each(['\n', '\nexit\nnever\n'])('goes on, and ends, after the second answer: %j', async (rest) => {
    const home = tempFolder();
    const llm = await startLlm();
    onTestFinished(() => llm.close());
    const config = { model: 'x/y', providers: { x: { baseURL: llm.url } }, http: { port: 0 } };
    fs.writeFileSync(path.join(home, 'config.json'), JSON.stringify(config));
    const skill = path.join(home, 'skills', 'brew');
    fs.mkdirSync(skill, { recursive: true });
    fs.writeFileSync(path.join(skill, 'SKILL.md'), '---\nname: brew\ndescription: Brews tea.\n---\nBrew it.\n');
    llm.script(({ lastUser }) => ({
      text: `It is ${lastUser.split(' ').at(-1)}\u2028.`,
      delayMs: lastUser.endsWith('three') ? 0 : 400,
    }));
    const input = `/skills use brew one\nand Grüße two\n/skills use brew three${rest}`;
    const { code, out } = await (command === 'start' ? viberProcess : viber)(home, [command], { input });
    const said = out.match(/Using the skill|It is \w+/g);
    expect(said).toEqual(['Using the skill', 'It is one', 'It is two', 'Using the skill', 'It is three']);
    expect({ code, asked: llm.requests().length }).toEqual({ code: 0, asked: 3 });
  });
});

it.each(['ignore', 'pipe'] as const)(
  'viber start without input (%s) says how to reach it, and goes on',
  async (stdin) => {
    const home = tempFolder();
    fs.writeFileSync(path.join(home, 'config.json'), JSON.stringify({ model: 'offline/viber', http: { port: 0 } }));
    const env = { ...process.env, OPENVIBER_HOME: home };
    const child = spawn(process.execPath, [PROGRAM, 'start'], { env, stdio: [stdin, 'ignore', 'pipe'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    child.stdin?.end('\n  \n');
    let err = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      err += String(chunk);
    });
    await expect.poll(() => err).toMatch(/no input here.* chat --home .* board --home/);
    const { code, out } = await viber(home, ['chat'], { input: '/help\n' });
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('/tasks') });
    const exited = once(child, 'exit');
    child.kill();
    expect((await exited)[0]).toBe(0);
  },
);

it.each(['chat', 'start'])('viber %s ends at "exit" from a pipe that is held open', async (command) => {
  const home = tempFolder();
  fs.writeFileSync(path.join(home, 'config.json'), JSON.stringify({ model: 'offline/viber', http: { port: 0 } }));
  const child = spawn(process.execPath, [PROGRAM, command, '--home', home], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += String(chunk);
  });
  child.stdin.write('/help\n');
  await expect.poll(() => out).toContain('/tasks');
  child.stdin.write('exit\n');
  expect((await exited)[0]).toBe(0);
  expect(child.stdin.writableEnded).toBe(false);
});

it('what a command finds damaged is said on standard error', async () => {
  const home = tempFolder();
  const file = path.join(home, 'access', 'paired.json');
  fs.mkdirSync(path.dirname(file));
  fs.writeFileSync(file, '{"id":');
  fs.utimesSync(file, 1e9, 1e9);
  const { err: stderr } = await viber(home, ['pair', 'list']);
  expect(stderr).toContain('access/paired.json is damaged and was moved to access/paired.json.bad');
});

it('says of a gateway that hangs that it does not answer, instead of waiting for it', async () => {
  const home = tempFolder();
  await running(home);
  const { pid } = JSON.parse(fs.readFileSync(path.join(home, 'run/gateway.json'), 'utf8'));
  process.kill(pid, 'SIGSTOP');
  onTestFinished(() => void process.kill(pid, 'SIGCONT'));
  const { code, out, err } = await viber(home, ['status']);
  expect([code, err]).toEqual([1, '']);
  expect(out).toMatch(/^Ready +no: it doesn't answer$/m);
  for (const args of [['chat'], ['run', 'Say hello']])
    expect(await viber(home, args)).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining("doesn't answer"),
    });
});
