/** The terminal as a person sits before it: the program in a pseudo terminal, with an emulated model. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Llm, startLlm } from '../emulators/llm.ts';
import { PROGRAM } from '../helpers/program.ts';
import { KEYS, openTerminal, pasted, type Terminal } from '../helpers/pty.ts';
import { hasPython } from '../helpers/python.ts';
import { tempFolder } from '../helpers/temp.ts';
import { startProgram, viberProcess } from '../helpers/viber.ts';

const { enter, up, tab, interrupt, end, altEnter } = KEYS;
const root = path.join(import.meta.dirname, '..', '..');
const ESC = '\u001b';

interface World {
  llm: Llm;
  home: string;
  open: (options?: {
    columns?: number;
    env?: Record<string, string>;
    command?: string;
    greeting?: string;
  }) => Promise<Terminal>;
}

async function world(): Promise<World> {
  const llm = await startLlm();
  onTestFinished(() => llm.close());
  const home = tempFolder();
  const config = { model: 'local/m', providers: { local: { baseURL: llm.url, apiKey: 'k' } }, http: { port: 0 } };
  fs.writeFileSync(path.join(home, 'config.json'), JSON.stringify(config));
  return {
    ...{ llm, home },
    async open({ columns = 80, env = {}, command = 'chat', greeting = "I'm your viber" } = {}) {
      const own = { HOME: home, OPENVIBER_HOME: home, NODE_NO_WARNINGS: '1', ...env };
      const terminal = openTerminal([process.execPath, path.join(root, PROGRAM), command], {
        columns,
        env: own,
        cwd: home,
      });
      await terminal.sees(greeting);
      await terminal.sees('you> ');
      return terminal;
    },
  };
}

/** A slow answer, word by word. */
const slowly = (text: string, chunkDelayMs = 40) => ({ chunks: text.split(/(?<=\s)/), chunkDelayMs });
const mode = (file: string) => fs.statSync(file).mode & 0o777;
const HISTORY = 'run/terminal-history.jsonl';

describe.skipIf(!hasPython).each(['chat', 'start'])('viber %s in a terminal', (command) => {
  it('sends what is typed, pasted and written over many lines as one message each', async () => {
    const { llm, open } = await world();
    const terminal = await open({ command });
    await terminal.press('hello there', enter);
    await terminal.sees('viber> hello there');
    await terminal.press('look at this:', pasted('one\r\ntwo\n\nthree'), enter);
    await terminal.sees('three');
    await llm.waitFor((request) => request.lastUser.includes('three'));
    await terminal.press('first', altEnter, 'second\\', enter, 'third', enter);
    await llm.waitFor((request) => request.lastUser.includes('third'));
    const said = llm.requests().map((request) => request.lastUser);
    expect(said.at(-2)).toContain('look at this:one\ntwo\n\nthree');
    expect(said.at(-1)).toContain('first\nsecond\nthird');
    expect(llm.requests()).toHaveLength(3);
    const long = Array.from({ length: 400 }, (_line, n) => `日本 ${n}`).join('\n');
    await terminal.press('too much', pasted(long), '\u007f', ' enough: ', pasted(long), enter);
    await llm.waitFor((request) => request.lastUser.includes('日本 399'));
    expect(llm.requests().at(-1)?.lastUser).toContain(`too much enough: ${long}`);
    expect(await terminal.screen()).toContain('you> too much enough: [pasted text 2: 400 lines]');
    await terminal.press('exit', enter);
    expect(await terminal.ended()).toBe(0);
    // The terminal is left as it was found.
    expect(terminal.raw().lastIndexOf(`${ESC}[?2004l`)).toBeGreaterThan(terminal.raw().lastIndexOf(`${ESC}[?2004h`));
  });

  it('stops the work at the first Ctrl-C and leaves at the second', async () => {
    const { llm, open } = await world();
    llm.script([slowly('word '.repeat(2_000))]);
    const terminal = await open({ command });
    await terminal.press('count words', enter);
    await terminal.sees(/word word word word/);
    await terminal.press(interrupt);
    await terminal.sees('Press Ctrl-C again to leave');
    await expect.poll(() => llm.stats().aborted).toBe(1);
    await terminal.sees(/stopped|Stopped/);
    await terminal.press('still here', enter);
    await terminal.sees('viber> still here');
    llm.script([slowly('word '.repeat(2_000))]);
    await terminal.press('count again', enter);
    await terminal.sees(/word word word word/);
    await terminal.press(interrupt, interrupt);
    expect(await terminal.ended()).toBe(0);
  });

  it('leaves with Ctrl-D, quit, /quit, and a second Ctrl-C where nothing is at work', async () => {
    const { open } = await world();
    for (const keys of [[end], ['quit', enter], ['/quit', enter], ['half a line', interrupt, interrupt]]) {
      const terminal = await open({ command });
      await terminal.press(...keys);
      expect(await terminal.ended()).toBe(0);
    }
  });
});

describe.skipIf(!hasPython)('what belongs to somebody else', () => {
  it('a line of the log does not fall into what is being typed', async () => {
    const { home, open } = await world();
    const file = path.join(home, 'config.json');
    fs.writeFileSync(file, JSON.stringify({ ...JSON.parse(fs.readFileSync(file, 'utf8')), log: { level: 'debug' } }));
    const terminal = await open({ command: 'start' });
    await terminal.press('hello', enter, 'half a li');
    await terminal.sees('viber> hello');
    await terminal.sees(/debug|info/);
    await terminal.press('ne');
    await expect.poll(async () => (await terminal.screen()).at(-1)).toBe('you> half a line');
    const screen = await terminal.screen();
    expect(screen.filter((line) => line.startsWith('you> '))).toEqual(['you> hello', 'you> half a line']);
  });

  it('talks to the gateway that runs, two at a time, and says so when it ends', async () => {
    const { home, llm, open } = await world();
    const { child: gateway } = await startProgram(home);
    const [one, two] = [await open(), await open()];
    llm.script([slowly('word '.repeat(2_000))]);
    await one.press('count words', enter);
    await two.sees(/word word word word/);
    await one.press(interrupt);
    await expect.poll(() => llm.stats().aborted).toBe(1);
    await two.press('and now', enter);
    await one.sees('viber> and now');
    await one.press(end);
    expect(await one.ended()).toBe(0);
    const three = await open();
    gateway.kill('SIGKILL');
    for (const terminal of [two, three]) {
      await terminal.sees("I've been stopped");
      expect(await terminal.ended()).toBe(1);
      expect(terminal.raw().lastIndexOf('?2004l')).toBeGreaterThan(terminal.raw().lastIndexOf('?2004h'));
    }
  });
});

describe.skipIf(!hasPython)('an answer', () => {
  it('is seen as it is written, with what is at work, and stands there once and rendered at the end', async () => {
    const { llm, open } = await world();
    const answer =
      '# Title\n\nSome **bold** words and `code`.\n\n- one\n- two\n\n| a | b |\n|---|--:|\n| 1 | 22 |\n\nThe end.';
    llm.script([slowly(answer, 80)]);
    const terminal = await open();
    await terminal.press('tell me', enter);
    await terminal.sees('Working: thinking');
    await terminal.sees('Some bold words');
    expect(llm.requests()[0]?.outcome).toBe('open');
    await terminal.sees('The end.');
    await expect.poll(async () => (await terminal.screen()).join('\n')).not.toContain('Working');
    const screen = await terminal.screen();
    expect(screen.slice(1)).toEqual([
      ...['you> tell me', 'viber>', 'Title', '', 'Some bold words and code.', '', '• one', '• two', ''],
      ...['a │  b', '──┼───', '1 │ 22', '', 'The end.', '', 'you>'],
    ]);
    expect(terminal.raw()).toContain(`${ESC}[1mbold${ESC}[22m`);
  });

  it('to viber run is rendered where somebody looks at it; a machine that speaks German is spoken to in German', async () => {
    const { llm, home, open } = await world();
    llm.script(() => ({ text: 'Some **bold** words.' }));
    const env = { HOME: home, OPENVIBER_HOME: home };
    const run = openTerminal([process.execPath, path.join(root, PROGRAM), 'run', 'say it'], { env, cwd: home });
    await run.sees('Some bold words.');
    expect(await run.ended()).toBe(0);
    const german = await open({ env: { LANG: 'de_DE.UTF-8' }, greeting: 'ich bin dein Viber' });
    await german.press(interrupt);
    await german.sees('Drück noch einmal Strg+C');
    await german.press(interrupt);
    expect(await german.ended()).toBe(0);
    // The menu too, and in the configured language where one is.
    for (const [command, settings, LANG] of [
      ['start', {}, 'de_DE.UTF-8'],
      ['start', { language: 'de' }, 'C.UTF-8'],
      ['chat', { language: 'de' }, 'C.UTF-8'],
    ] as const) {
      const file = path.join(home, 'config.json');
      fs.writeFileSync(file, JSON.stringify({ ...JSON.parse(fs.readFileSync(file, 'utf8')), ...settings }));
      const terminal = await open({ command, env: { LANG }, greeting: 'ich bin dein Viber' });
      await terminal.press('/st', tab);
      await terminal.sees(/\/status +\p{L}+ \p{L}+/u);
      expect((await terminal.screen()).join('\n')).not.toMatch(/\bthis task\b|doing/);
      await terminal.press(interrupt, interrupt);
      expect(await terminal.ended()).toBe(0);
    }
  });

  it('comes after a line that names the plan’s step at work', async () => {
    const { llm, open } = await world();
    const steps = [
      { id: 's1', title: 'Tape the edges', status: 'in_progress' },
      { id: 's2', title: 'Paint', status: 'pending' },
    ];
    const plan = { name: 'update_plan', arguments: { plan: { goal: 'Paint the wall', steps } } };
    const seen = Promise.withResolvers<void>();
    llm.script([{ toolCalls: [plan] }, { ...slowly('It is done.', 10), after: seen.promise }]);
    const terminal = await open();
    await terminal.press('paint the wall', enter);
    await terminal.sees('Working on step 1 of 2, Tape the edges: thinking');
    seen.resolve();
    await terminal.sees('viber> It is done.');
  });

  it('has no colours under NO_COLOR, and is as it was written on a dumb terminal', async () => {
    const { llm, open } = await world();
    llm.script(() => ({ text: 'Some **bold** words.' }));
    const colourless = await open({ env: { NO_COLOR: '1' } });
    await colourless.press('tell me', enter);
    await colourless.sees('viber> Some **bold** words.');
    expect(colourless.raw()).not.toMatch(new RegExp(`${ESC}\\[\\d*m`));
    const dumb = await open({ env: { TERM: 'dumb' } });
    await dumb.press('tell me', enter);
    await dumb.sees('viber> Some **bold** words.');
    expect(dumb.raw()).not.toContain(ESC);
    await dumb.press('exit', enter);
    expect(await dumb.ended()).toBe(0);
  });

  it('cannot command the terminal: escape sequences of a model, of a title and of a file’s name do nothing', async () => {
    const { llm, open } = await world();
    const hostile = [
      `${ESC}[2J${ESC}[Hgone ${ESC}]0;owned\u0007 ${ESC}]8;;http://evil.example\u0007click${ESC}]8;;\u0007`,
      `\u009b31mred \u001bPq\u001b\\ &#27;[31mentity \u202egnp.exe\u202c \r overwritten \u0008\u0008\u0008 ${ESC}]52;c;ZXZpbA==\u0007`,
    ].join('\n\n');
    llm.script([
      {
        toolCalls: [
          { name: 'create_artifact', arguments: { title: `a${ESC}[2Jb.txt`, type: 'text/plain', content: 'x' } },
        ],
      },
      slowly(`${hostile} done`, 10),
    ]);
    const terminal = await open({ env: { FORCE_HYPERLINK: '1' } });
    await terminal.press('make it', enter);
    await terminal.sees('done');
    await terminal.press('next', enter);
    await terminal.sees('viber> next');
    const raw = terminal.raw();
    for (const bad of [
      `${ESC}[2J`,
      `${ESC}[H`,
      `${ESC}]0;`,
      'evil.example',
      '\u009b',
      `${ESC}P`,
      '\u202e',
      '\u0008',
      `${ESC}]52`,
    ])
      expect(raw).not.toContain(bad);
    expect(raw).not.toContain(`${ESC}[31m`);
    expect((await terminal.screen()).join('\n')).toMatch(/gone +click/);
  });

  it('keeps its lines with wide characters on a narrow terminal', async () => {
    const { llm, open } = await world();
    const words = '日本語の文章はとても長いので折り返します。 👩‍👩‍👧 family and 👍🏽 done';
    llm.script(() => slowly(words, 30));
    const terminal = await open({ columns: 30 });
    await terminal.press('言葉を書いてください、とても長い言葉を書いてください', enter);
    await terminal.sees('done');
    await terminal.press('次', enter);
    await expect.poll(async () => (await terminal.screen()).filter((line) => line.includes('done'))).toHaveLength(2);
    const screen = await terminal.screen();
    expect(screen.slice(1)).toEqual(
      expect.arrayContaining([
        'you> 言葉を書いてください、と',
        '     ても長い言葉を書いてくだ',
        '     さい',
        'you> 次',
      ]),
    );
    expect(screen.filter((line) => line.startsWith('viber> '))).toHaveLength(2);
    expect(screen.join('\n')).not.toContain('Working');
  });

  it('higher than the screen stands there once', async () => {
    const { llm, open } = await world();
    const code = Array.from({ length: 120 }, (_line, n) => `line ${n}`).join('\n');
    llm.script([slowly(`\`\`\`\n${code}\n\`\`\`\n\nAll said.`, 2)]);
    const terminal = await open();
    await terminal.press('much', enter);
    await terminal.sees('All said.');
    await expect.poll(async () => (await terminal.screen()).slice(-3)).toEqual(['All said.', '', 'you>']);
    const screen = await terminal.screen();
    expect(screen.filter((line) => line.startsWith('line '))).toEqual(code.split('\n'));
  });
});

describe.skipIf(!hasPython)('what is typed', () => {
  it('is offered again after a restart, but for secrets, in a file for its owner alone', async () => {
    const { home, open } = await world();
    const first = await open();
    for (const line of ['my token is abcdefgh', 'use sk-proj-abcdefghijklmnop1234', ' kept for me', 'remember\nme'])
      await first.press(pasted(line), enter);
    await first.press(end);
    expect(await first.ended()).toBe(0);
    expect(mode(path.join(home, HISTORY))).toBe(0o600);
    expect(fs.readFileSync(path.join(home, HISTORY), 'utf8')).toBe('"remember\\nme"\n');
    const second = await open({ command: 'start' });
    await second.press(up);
    await second.sees('me');
    expect((await second.screen()).slice(-2)).toEqual(['you> remember', '     me']);
    await second.press(interrupt, interrupt);
    expect(await second.ended()).toBe(0);
  });

  it('is found by Ctrl-R: by a part, further back, shorter again; Escape and Ctrl-C leave what stood there', async () => {
    const { llm, open } = await world();
    const terminal = await open();
    for (const line of ['write the Report', 'report what was done', 'plan a walk']) {
      await terminal.press(line, enter);
      await terminal.sees(`viber> ${line}`);
    }
    const last = async () => (await terminal.screen()).filter((line) => line.startsWith('you> ')).at(-1);
    await terminal.press('half a', '\u0012', 'REP');
    await terminal.sees('What you typed before, with: REP');
    await expect.poll(last).toBe('you> report what was done');
    await terminal.press('\u0012');
    await expect.poll(last).toBe('you> write the Report');
    await terminal.press('xyz');
    await terminal.sees('Nothing you typed before has: REPxyz');
    await terminal.press(interrupt);
    await expect.poll(last).toBe('you> half a');
    await terminal.press('\u0015', '\u0012', 'walx', '\u007f');
    await expect.poll(last).toBe('you> plan a walk');
    await terminal.press(up);
    await expect.poll(last).toBe('you> report what was done');
    await terminal.press('\u0015', '\u0012', 'Repo', '\u0012', enter);
    await expect.poll(() => llm.requests().length).toBe(4);
    expect(llm.requests().at(-1)?.lastUser).toContain('write the Report');
    expect((await terminal.screen()).join('\n')).not.toMatch(/typed before/);
  });

  it('is completed by Tab: commands, what fits behind them, and files of the viber’s folder', async () => {
    const { home, llm, open } = await world();
    fs.mkdirSync(path.join(home, 'workspace/notes'), { recursive: true });
    fs.writeFileSync(path.join(home, 'workspace/notes/übersicht.md'), 'x');
    fs.writeFileSync(path.join(home, `workspace/notes/${ESC}[2Jx.md`), 'x');
    const terminal = await open();
    await terminal.press('read no', tab, tab, enter);
    await terminal.sees('viber> read notes/übersicht.md');
    await terminal.press('/he', tab, enter);
    await terminal.sees('/tasks');
    await terminal.press('/queue co', tab, enter);
    await terminal.sees('collect from now on');
    await terminal.press('/t', tab);
    await terminal.sees('/tasks');
    await terminal.press('\u0015', '/status ', tab);
    await terminal.sees(/\(\d{8}-\w+\)|\d{8}-/);
    await terminal.press(interrupt);
    expect(llm.requests()).toHaveLength(1);
    expect(terminal.raw()).not.toContain(`${ESC}[2J`);
  });
});

describe.skipIf(!hasPython)('who answers', () => {
  it('goes by the name of IDENTITY.md, as it is now, and each viber by its own', async () => {
    const { home, open } = await world();
    fs.writeFileSync(path.join(home, 'IDENTITY.md'), '# Identity\n\n- **Name:** Pim\n- **Creature:** robot\n');
    fs.mkdirSync(path.join(home, 'vibers/dev'), { recursive: true });
    fs.writeFileSync(path.join(home, 'vibers/dev/IDENTITY.md'), 'You are Ada Byte, and you write programs.\n');
    const started = await open({ command: 'start' });
    await started.press('hello', enter);
    await started.sees('Pim> hello');
    const terminal = await open();
    await terminal.press('hello you', enter);
    await terminal.sees('Pim> hello you');
    await terminal.press('/use dev', enter);
    await terminal.sees('Ada Byte> ');
    await terminal.press('and you', enter);
    await terminal.sees('Ada Byte> and you');
    await terminal.press('/use default', enter);
    await terminal.sees('Pim> ');
    fs.writeFileSync(path.join(home, 'IDENTITY.md'), `Du bist ${ESC}[2JKim, und hilfst.\n`);
    await terminal.press('again', enter);
    await terminal.sees('viber> again');
    fs.writeFileSync(path.join(home, 'IDENTITY.md'), 'Du bist Kim, und hilfst.\n');
    await terminal.press('once more', enter);
    await terminal.sees('Kim> once more');
    expect(terminal.raw()).not.toContain(`${ESC}[2J`);
  });
});

describe.skipIf(!hasPython)('a question that is decided', () => {
  it('becomes its outcome where it stands, also when it was decided elsewhere', async () => {
    const { llm, open } = await world();
    const notes = { path: 'workspace/notes.md', content: 'milk' };
    llm.script(({ toolResults }) =>
      toolResults.length > 0 ? { text: 'It is noted.' } : { toolCalls: [{ name: 'write_file', arguments: notes }] },
    );
    const one = await open();
    const two = await open();
    await one.press('keep a note', enter);
    for (const each of [one, two]) await each.sees('[1] Save');
    await one.press('not yet sent');
    await two.press('1', enter);
    for (const each of [one, two]) await each.sees('It is noted.');
    for (const each of [one, two]) {
      await expect.poll(async () => (await each.screen()).join('\n')).toMatch(/Approved by/);
      const screen = (await each.screen()).join('\n');
      expect(screen).toMatch(/Approved by/);
      expect(screen).not.toContain('[1] Save');
      expect(screen.match(/Save notes\.md/g)).toHaveLength(1);
      expect(screen.indexOf('Approved by')).toBeLessThan(screen.indexOf('It is noted.'));
    }
    expect((await one.screen()).at(-1)).toBe('you> not yet sent');
  });
});

describe.skipIf(!hasPython)('a plan that changes', () => {
  it('is changed where it stands, marks and all, and not shown a second time', async () => {
    const { home, open } = await world();
    fs.writeFileSync(path.join(home, 'config.json'), JSON.stringify({ http: { port: 0 } }));
    const terminal = await open();
    await terminal.press('make a plan: buy paint; paint the wall', enter);
    await terminal.sees('2 steps');
    await terminal.press('/plan', enter);
    await terminal.sees('[1] 1 is done');
    await terminal.press('done 1', enter);
    await expect
      .poll(async () => (await terminal.screen()).join('\n'))
      .toMatch(/✓ buy paint[\s\S]*Step 1, "buy paint"/);
    expect((await terminal.screen()).filter((line) => /^\d\. [○✓]/.test(line))).toEqual([
      '1. ✓ buy paint',
      '2. ○ paint the wall',
    ]);
  });
});

describe.skipIf(!hasPython).each(['chat', 'start'])('questions that were left unanswered, in viber %s', (command) => {
  const call = (name: string, given: object) => ({ toolCalls: [{ name, arguments: given }] });
  const leave = async (terminal: Terminal) => {
    await terminal.press(end);
    expect(await terminal.ended()).toBe(0);
  };

  it('are shown at the next start, and answered by number, by a typed yes, and in words', async () => {
    const { llm, open } = await world();
    llm.script(({ lastUser, toolResults }) => {
      if (toolResults.length > 0) return { text: `Done: ${toolResults.join().slice(0, 60)}` };
      if (lastUser.includes('note')) return call('write_file', { path: 'workspace/notes.md', content: 'milk' });
      if (lastUser.includes('colour')) return call('ask_user', { question: 'Which?', options: ['Red', 'Blue'] });
      if (lastUser.includes('name')) return call('ask_user', { question: 'What shall I call it?' });
      return { text: `You said ${lastUser.split('\n').at(-1)}` };
    });
    const first = await open({ command });
    await first.press('keep a note', enter);
    await first.sees('[1] Save');
    await first.press('/new', enter);
    await first.press('a colour please', enter);
    await first.sees(/\[\d\] Red/);
    await leave(first);
    const second = await open({ command });
    await second.sees('Still waiting for your answer:');
    await second.sees('[1] Save');
    await second.sees(/Which\?[\s\S]*\[(\d)\] Red {3}\[\d\] Blue/);
    const blue = /\[(\d)\] Blue/.exec((await second.screen()).join('\n'))?.[1] ?? '';
    await second.press(blue, enter);
    await second.sees(/Done: .*Blue/);
    await leave(second);
    const third = await open({ command });
    await third.sees('[1] Save');
    expect((await third.screen()).join('\n')).not.toContain('Blue');
    await third.press('yes', enter);
    await third.sees(/Done: /);
    await third.press('/new', enter, 'find a name', enter);
    await third.sees('What shall I call it?');
    await leave(third);
    const fourth = await open({ command });
    await fourth.sees('Still waiting for your answer:');
    await fourth.sees('What shall I call it?');
    await fourth.press('Ida', enter);
    await fourth.sees('You said Ida');
    await leave(fourth);
    const fifth = await open({ command });
    await fifth.press('hello', enter);
    await fifth.sees('You said hello');
    expect((await fifth.screen()).join('\n')).not.toContain('Still waiting');
  });

  it('are not printed into a pipe', async () => {
    const { llm, home, open } = await world();
    llm.script([call('ask_user', { question: 'Which?', options: ['Red', 'Blue'] }), { text: 'Hello there.' }]);
    const terminal = await open({ command });
    await terminal.press('a colour please', enter);
    await terminal.sees('[1] Red');
    await leave(terminal);
    const { out } = await viberProcess(home, [command], { input: '/new\nhello\n' });
    expect(out).toContain('Hello there.');
    expect(out).not.toMatch(/Which|Red|waiting/);
  });
});

describe.skipIf(!hasPython)('buttons and files', () => {
  it('have numbers that no other button has; an older number is never taken for a newer button', async () => {
    const { llm, open } = await world();
    const ask = (question: string, ...options: string[]) => ({
      toolCalls: [{ name: 'ask_user', arguments: { question, options } }],
    });
    llm.script((request) => {
      if (request.toolResults.length > 0) return { text: `chosen: ${request.toolResults.join()}` };
      return request.lastUser.includes('colour')
        ? ask('Which colour?', 'Red', 'Blue')
        : ask('Which size?', 'Small', 'Large');
    });
    const terminal = await open();
    await terminal.press('a colour please', enter);
    await terminal.sees('[1] Red   [2] Blue');
    await terminal.press('2', enter);
    await terminal.sees(/chosen: .*Blue/);
    await terminal.press('/new', enter);
    await terminal.press('a size please', enter);
    await terminal.sees('[3] Small   [4] Large');
    await terminal.press('1', enter);
    await terminal.sees('That is already decided, so 1 does nothing now');
    await terminal.press('!9', enter);
    await terminal.sees('There is no button 9');
    await terminal.press('3', enter);
    await terminal.sees(/chosen: .*Small/);
    await terminal.press('!1', enter);
    await terminal.sees(/already|answered/);
  });

  it('a file is a name that leads to it where the terminal follows links, else name and path', async () => {
    const { llm, open, home } = await world();
    const file = { name: 'create_artifact', arguments: { title: 'my notes.txt', type: 'text/plain', content: 'x' } };
    llm.script((request) => (request.toolResults.length > 0 ? { text: 'Here it is.' } : { toolCalls: [file] }));
    const linking = await open({ env: { TERM_PROGRAM: 'WezTerm' } });
    await linking.press('make it', enter);
    await linking.sees('Here it is.');
    await linking.sees('my notes.txt');
    const url = new RegExp(`${ESC}\\]8;;(file://[!-~]+)${ESC}`).exec(linking.raw())?.[1] ?? '';
    expect(fs.readFileSync(new URL(url), 'utf8')).toBe('x');
    expect(await linking.screen()).toContain('  my notes.txt');
    await linking.press(end);
    await linking.ended();
    const plain = await open();
    await plain.press('make it', enter);
    // It is the second of that name in this conversation.
    await plain.sees('(my notes (2).txt)');
    expect((await plain.screen()).join('')).toContain(`file: ${home}`);
  });
});
