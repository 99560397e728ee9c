/** Programs of bundles, run from a chat: the flows of the public ones to their end, consent, what is missing, and what is refused. */

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { unpack } from '../../src/features/documents/formats/zip.ts';
import type { LlmRequest, ToolCall, Turn } from '../emulators/llm.ts';
import { IN_SANDBOX, isSandboxed } from '../helpers/sandbox.ts';
import { tempFolder } from '../helpers/temp.ts';
import { openChat } from '../kit/kit.ts';
import { ask, type GivenFile, type Platform, type Seen, waitFor, wholeQuestion } from '../platforms/platform.ts';
import { docx } from '../runtime/reading/made.ts';

const machine = vi.hoisted(() => ({ isWithoutSandbox: false }));
vi.mock(import('../../src/skills/sandbox.ts'), async (original) => {
  const real = await original();
  return {
    ...real,
    findSandbox: async () => (machine.isWithoutSandbox ? undefined : real.findSandbox()),
    hasSandbox: async () => !machine.isWithoutSandbox && (await real.hasSandbox()),
  };
});

const BUNDLES = path.join(import.meta.dirname, '../fixtures/bundles');
const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
/** A form as simple as PDF has them. */
const FORM = Buffer.from('%PDF-1.4\n1 0 obj << /FT /Tx /T (Name) /V () >> endobj\n%%EOF\n');

const makeVenv = (folder: string): void =>
  void execFileSync('/usr/bin/python3', ['-m', 'venv', '--without-pip', folder], { stdio: 'ignore' });
const hasVenv = (() => {
  try {
    makeVenv(path.join(tempFolder(), 'tried'));
    return true;
  } catch {
    return false;
  }
})();

/** Calls these tools one after the other, one a step, and says what came of all. */
const calls =
  (...given: ToolCall[]) =>
  ({ toolResults }: LlmRequest): Turn => {
    const call = given[toolResults.length];
    return call ? { toolCalls: [call] } : { text: `I was told: ${toolResults.join('\n')}` };
  };
const program = (skill: string, file: string, args: string[] = [], stdin?: string): ToolCall => ({
  name: 'run_skill_file',
  arguments: { skill, file, args, ...(stdin === undefined ? {} : { stdin }) },
});
const read = (name: string, file?: string): ToolCall => ({
  name: 'read_skill',
  arguments: { name, ...(file ? { file } : {}) },
});
const write = (at: string, content: string): ToolCall => ({ name: 'write_file', arguments: { path: at, content } });

interface Given {
  skills: string[];
  mode?: string;
  files?: Record<string, string>;
  config?: Record<string, unknown>;
}

async function open({ skills, mode = 'execute', files = {}, config = {} }: Given) {
  const prepare = (home: string) => {
    for (const skill of skills)
      fs.cpSync(path.join(BUNDLES, skill), path.join(home, 'skills', skill), { recursive: true });
  };
  const all = { ...files, 'agents/default.yaml': `mode: ${mode}\nmaxSteps: 25\n` };
  const chat = await openChat({ config, files: all, prepare });
  return { ...chat, results: () => chat.world.llm.requests().at(-1)?.toolResults ?? [] };
}

const form = (): GivenFile[] => [{ name: 'form.pdf', bytes: FORM, type: 'application/pdf' }];
const textIn = (archive: Buffer, name: string): string =>
  Buffer.from(unpack(archive, (each) => each === name).get(name) ?? []).toString();
const bytesIn = (platform: Platform, seen: Seen, name: string): Buffer => {
  const file = seen.files.find((each) => each.name === name);
  if (!file) throw new Error(`no ${name} among ${seen.files.map((each) => each.name).join(' ')}`);
  return platform.bytes(file);
};

describe.skipIf(!isSandboxed)(`the flow of a public bundle ${IN_SANDBOX}`, () => {
  it('pdf: a form that somebody sends is filled in and comes back', async () => {
    const { world, platform, dm, results } = await open({ skills: ['pdf'] });
    world.llm.script(
      calls(
        read('pdf'),
        read('pdf', 'forms.md'),
        program('pdf', 'scripts/check_fields', ['form.pdf']),
        program('pdf', 'scripts/extract_fields.py', ['form.pdf', 'fields.json']),
        write('values.json', '[{"field": "Name", "value": "Ada"}]'),
        program('pdf', '{baseDir}/scripts/fill_fields.py', ['form.pdf', 'values.json', 'filled.pdf']),
      ),
    );
    await ask(platform, dm, 'fill it in for Ada', { files: form(), text: 'I was told' });
    expect(results()[0]).toContain('scripts/fill_fields.py');
    expect(results()[2]).toContain('has fillable form fields');
    expect(results()[3]).toContain('wrote 1 fields');
    const sent = await waitFor(platform, dm, { file: 'filled.pdf' });
    expect(bytesIn(platform, sent, 'filled.pdf').toString()).toContain('/T (Name) /V (Ada)');
  });

  it('docx: a letter is unpacked, changed where it lies, and packed again once it is valid', async () => {
    const { world, platform, dm, results } = await open({ skills: ['docx'] });
    const xml = (words: string) => `<w:document xmlns:w="w"><w:p>${words}</w:p></w:document>`;
    world.llm.script(
      calls(
        program('docx', 'scripts/office/unpack.py', ['letter.docx', 'unpacked/']),
        { name: 'read_file', arguments: { path: 'work/unpacked/word/document.xml' } },
        write('work/unpacked/word/document.xml', '<broken'),
        program('docx', 'scripts/office/pack.py', ['unpacked/', 'new.docx', '--original', 'letter.docx']),
        write('work/unpacked/word/document.xml', xml('Dear Grace')),
        program('docx', 'scripts/office/pack.py', ['work/unpacked/', 'new.docx', '--original', 'letter.docx']),
      ),
    );
    const files = [{ name: 'letter.docx', bytes: docx('Dear Ada'), type: DOCX }];
    await ask(platform, dm, 'write it to Grace instead', { files, text: 'I was told' });
    expect(results()[0]).toContain('"written":["work/unpacked/');
    expect(results()[0]).not.toContain('"artifacts"');
    expect(results()[1]).toContain('Dear Ada');
    expect(results()[3]).toMatch(/"code":1.*FAILED - document\.xml/);
    const sent = await waitFor(platform, dm, { file: 'new.docx' });
    expect(sent.files.map(({ name }) => name)).toEqual(['new.docx']);
    expect(textIn(bytesIn(platform, sent, 'new.docx'), 'word/document.xml')).toBe(xml('Dear Grace'));
  });

  it('xlsx: a table on standard input becomes a sheet, whose formulas are checked', async () => {
    const { world, platform, dm, results } = await open({ skills: ['xlsx'] });
    world.llm.script(
      calls(
        program('xlsx', 'scripts/build.mjs', ['sums.xlsx'], '1,2\n=A1+B1,=#REF!\n'),
        program('xlsx', 'scripts/recalc.py', ['sums.xlsx', '30']),
        program('xlsx', 'scripts/build.mjs', ['sums.xlsx'], '1,2\n=A1+B1\n'),
        program('xlsx', 'scripts/recalc.py', ['sums.xlsx', '30']),
      ),
    );
    await ask(platform, dm, 'add these', { text: 'I was told' });
    expect(results()[1]).toContain('errors_found');
    expect(results()[3]).toMatch(/success.*total_formulas[^0-9]*1/);
    const sent = await waitFor(platform, dm, { file: 'sums.xlsx' });
    expect(textIn(bytesIn(platform, sent, 'sums.xlsx'), 'xl/worksheets/sheet1.xml')).toContain('<f>A1+B1</f>');
  });

  it('skill-creator: a skill is begun, written, checked and packed, by the names of its modules', async () => {
    const { world, platform, dm, results } = await open({ skills: ['skill-creator'] });
    world.llm.script(
      calls(
        program('skill-creator', 'scripts.init_skill', ['greet']),
        program('skill-creator', 'scripts.package_skill', ['greet']),
        write('work/greet/SKILL.md', '---\nname: greet\ndescription: Greets people.\n---\nSay hello.\n'),
        program('skill-creator', 'scripts.package_skill', ['greet']),
      ),
    );
    await ask(platform, dm, 'make a skill that greets', { text: 'I was told' });
    expect(results()[1]).toContain('Description is not written');
    const sent = await waitFor(platform, dm, { file: 'greet.skill' });
    expect(textIn(bytesIn(platform, sent, 'greet.skill'), 'greet/SKILL.md')).toContain('Greets people.');
  });
});

describe.skipIf(!isSandboxed)(`a program of a bundle ${IN_SANDBOX}`, () => {
  it('is asked about with its text, runs once after a yes, and not after it has changed', async () => {
    const { world, platform, dm } = await open({ skills: ['pdf'], mode: 'decide' });
    const call = program('pdf', 'scripts/check_fields.py', ['form.pdf']);
    world.llm.script(calls(call));
    const asked = await ask(platform, dm, 'has it fields?', { files: form(), text: 'May I run' });
    expect(asked.text).toMatch(/scripts\/check\\?_fields\.py/);
    const whole = await wholeQuestion(platform, dm, asked);
    expect(whole).toContain('This PDF has fillable form fields');
    expect(whole).toContain('in a sandbox, without network');
    let after = platform.answers(dm).length;
    await platform.press(dm, 'Yes');
    const done = await waitFor(platform, dm, { after, text: 'I was told' });
    expect(done.text).toContain('has fillable form fields');

    world.llm.script(() => ({ toolCalls: [call] }));
    await ask(platform, dm, 'look again', { text: 'May I run' });
    fs.appendFileSync(path.join(world.home, 'skills/pdf/scripts/fields.py'), '# changed\n');
    after = platform.answers(dm).length;
    await platform.press(dm, 'Yes');
    expect((await waitFor(platform, dm, { after, text: 'Something has changed' })).text).toContain('May I run');
  });
});

describe('a program of a bundle', () => {
  const HOSTILE = {
    'skills/odd/SKILL.md': '---\nname: odd\ndescription: Odd.\n---\nOdd.\n',
    'skills/odd/data.bin': 'no program',
    'skills/odd/scripts/look.sh':
      'cat "$1"; cat /etc/passwd | grep -c viber; ls -d /var 2>&1; touch "$SKILL_DIR/x"; echo "end $?"',
    'skills/odd/scripts/link.sh': 'ln -s /tmp out && ln -s "$OPENVIBER_FILES/task.json" record.txt\n',
    'skills/odd/scripts/slow.py':
      // It lives for longer than the test.
      'import os, time\nif os.fork() == 0: time.sleep(300)\nopen("begun", "w").write("x")\ntime.sleep(300)\n',
    'skills/odd/scripts/loud.py': 'print("x" * 1000000)\n',
    'skills/odd/scripts/net.py': 'import socket\nsocket.create_connection(("127.0.0.1", 80), 2)\n',
  };
  const said = async (given: Given, ...asked: ToolCall[]) => {
    const world = await open(given);
    fs.symlinkSync('/etc/passwd', path.join(world.world.home, 'skills', given.skills[0] ?? 'odd', 'link.sh'));
    world.world.llm.script(calls(...asked));
    await ask(world.platform, world.dm, 'do it', { text: 'I was told' });
    return world.results();
  };

  it('that leads elsewhere, is a link, or is none, is refused before anybody is asked', async () => {
    const files = [
      '../../config.yaml',
      '/etc/passwd',
      'link.sh',
      'data.bin',
      'scripts',
      'SKILL.md',
      'gone.py',
      '.venv/x.py',
      '',
    ];
    const results = await said(
      { skills: [], files: HOSTILE, mode: 'ask' },
      ...files.map((file) => program('odd', file)),
      program('chart', 'tool.ts'),
      program('nobody', 'x.py'),
    );
    expect(results).toHaveLength(files.length + 2);
    for (const result of results.slice(0, -1)) expect(result).toMatch(/cannot be run/);
    expect(results.at(-1)).toContain('There is no skill');
  });

  it.skipIf(!isSandboxed)(
    'sees nothing of the machine, is ended in time with its children, and says little',
    async () => {
      const results = await said(
        { skills: [], files: HOSTILE, config: { skills: { timeout: 2 } } },
        program('odd', 'scripts/look.sh', ['/etc/hostname']),
        program('odd', 'scripts/slow.py'),
        program('odd', 'scripts/loud.py'),
        program('odd', 'scripts/net.py'),
      );
      expect(results[0]).toMatch(/No such file[\s\S]*Read-only file system/);
      expect(results[0]).not.toMatch(/^\/var$/m);
      expect(results[1]).toContain('ended after 2 seconds');
      expect(results[1]).toContain('begun');
      expect(results[2]?.length).toBeLessThan(40_000);
      expect(results[3]).toMatch(/refused|unreachable/);
      expect(await netAllowed()).toMatch(/proxy: HTTP\/1\.1 403 .*direct: refused/s);
    },
  );

  /** What a program tells of this machine where `skills.network` names its skill: the way out is there, and leads elsewhere. */
  async function netAllowed(): Promise<string> {
    const server = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const body = `import socket
proxy = socket.create_connection(("127.0.0.1", 3128), 5)
proxy.sendall(b"CONNECT 127.0.0.1:${port} HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n")
print("proxy:", proxy.recv(1000).decode())
try:
  socket.create_connection(("127.0.0.1", ${port}), 2)
  print("direct: reached")
except OSError:
  print("direct: refused")
`;
    const files = { ...HOSTILE, 'skills/odd/scripts/net.py': body };
    const config = { skills: { network: ['odd'] } };
    return (await said({ skills: [], files, config }, program('odd', 'scripts/net.py'))).join('\n');
  }

  it.skipIf(!isSandboxed)('leaves no link that anything follows', async () => {
    const results = await said(
      { skills: [], files: HOSTILE },
      program('odd', 'scripts/link.sh'),
      write('work/out/planted.txt', 'x'),
      write('work/record.txt', 'x'),
      { name: 'read_file', arguments: { path: 'work/record.txt' } },
    );
    expect(results[0]).not.toContain('artifacts');
    for (const result of results.slice(1))
      expect(result).toMatch(/links are not followed|There is no file|can't be used/);
    expect(fs.existsSync('/tmp/planted.txt')).toBe(false);
  });

  it.skipIf(!isSandboxed)('that lacks a package says which, and what a person does about it', async () => {
    const [result = ''] = await said({ skills: ['pdf'] }, program('pdf', 'scripts/render.py', ['x.pdf']));
    expect(result).toMatch(/Python has no package no_such_pdf_library here/);
    expect(result).toMatch(
      /python3 -m venv --clear \S+skills\/pdf\/\.venv .*pip install -r \S+skills\/pdf\/requirements\.txt/,
    );
  });

  it.skipIf(!isSandboxed || !hasVenv)(
    'finds the packages of an environment of its own, and is told of one that it cannot see',
    async () => {
      const { world, platform, dm, results } = await open({ skills: ['pdf'] });
      const own = path.join(world.home, 'skills/pdf/.venv');
      makeVenv(own);
      const packages = path.join(own, 'lib', fs.readdirSync(path.join(own, 'lib'))[0] ?? '', 'site-packages');
      const library = path.join(packages, 'no_such_pdf_library');
      fs.mkdirSync(library, { recursive: true });
      fs.writeFileSync(
        path.join(library, 'reader.py'),
        'class PdfReader:\n    def __init__(self, name): pass\n    def __repr__(self): return "a reader"\n',
      );
      world.llm.script(calls(program('pdf', 'scripts/render.py', ['x.pdf'])));
      await ask(platform, dm, 'render it', { text: 'I was told' });
      expect(results()[0]).toContain('a reader');
      fs.rmSync(path.join(own, 'bin/python'));
      fs.symlinkSync(path.join(world.home, 'elsewhere'), path.join(own, 'bin/python'));
      expect((await ask(platform, dm, 'render it again', { text: 'cannot see it' })).text).toContain(
        '/usr/bin/python3 -m venv',
      );
    },
  );

  it('is not run where there is no sandbox, and says what to do', async () => {
    machine.isWithoutSandbox = true;
    try {
      const [result = ''] = await said({ skills: ['pdf'] }, program('pdf', 'scripts/render.py'));
      expect(result).toContain('a person installs bubblewrap');
    } finally {
      machine.isWithoutSandbox = false;
    }
  });
});
