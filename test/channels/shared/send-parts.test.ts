/** The order of parts, and what follows a refusal, with the process ending between any two steps. */
import { describe, expect, it } from 'vitest';
import type { Attachment, PartLedger } from '../../../src/channels/channel.ts';
import { asCode, refusalNotice, type WhyRefused } from '../../../src/channels/shared/refused-files.ts';
import { FilesRefused, sendParts } from '../../../src/channels/shared/send-parts.ts';
import { messagesIn } from '../../../src/messages/messages.ts';

interface Part {
  text: string;
  files: Attachment[];
}

const attachment = (name: string): Attachment => ({ path: name, name, mimeType: 'text/plain', size: 1, sha256: '' });

/** A platform that refuses some files, and a process that ends after so many steps of the ledger. */
async function run(parts: Part[], refuses: Record<string, WhyRefused>, steps: number): Promise<string[]> {
  const shown: string[] = [];
  const recorded = new Map<number, string>();
  for (let life = 0; life < 50; life++) {
    let left = steps;
    const ledger: PartLedger = {
      async part(index, post) {
        const known = recorded.get(index);
        if (known !== undefined) return known;
        if (left-- === 0) throw new Error('the process ends');
        const id = await post({ key: String(index) });
        recorded.set(index, id);
        return id;
      },
    };
    try {
      await sendParts<Part>(ledger, {
        parts: () => parts,
        filesOf: ({ files }) => files,
        wordsOf: ({ text }, notice) =>
          text === '' ? undefined : { part: { text: `${text} ${notice}`.trim(), files: [] }, hasNotice: notice !== '' },
        fileOf: (_part, file) => ({ text: '', files: [file] }),
        notice: (refused) => `[${refused.map(({ name, why }) => `${name} ${why}`).join(', ')}]`,
        noticeParts: async (notice) => [{ text: notice, files: [] }],
        async post({ text, files }, { isFirst }) {
          const [why] = files.flatMap(({ name }) => refuses[name] ?? []);
          if (why) throw new FilesRefused(why, 'no');
          return String(
            shown.push(`${isFirst ? '> ' : ''}${[text, ...files.map(({ name }) => name)].join(' ').trim()}`),
          );
        },
      });
      return shown;
    } catch (error) {
      if (!(error instanceof Error) || error.message !== 'the process ends') throw error;
    }
  }
  throw new Error('it never came to an end');
}

const a = attachment('a');
const b = attachment('b');
const c = attachment('c');

describe('files that are refused', () => {
  it.each<[string, Part[], Record<string, WhyRefused>, string[]]>(
    // biome-ignore format: a row is a line
    [
      ['none', [{ text: 'words', files: [a] }], {}, ['> words a']],
      ['one with the words', [{ text: 'words', files: [a] }], { a: 'rights' }, ['> words [a rights]']],
      ['one alone', [{ text: '', files: [a] }], { a: 'size' }, ['> [a size]']],
      [
        'all of them, after long words',
        [{ text: 'one', files: [] }, { text: 'two', files: [] }, { text: '', files: [a, b] }, { text: '', files: [c] }],
        { a: 'rights', b: 'rights', c: 'rights' },
        ['> one', 'two', '[a rights, b rights, c rights]'],
      ],
      ['one of several: the others go', [{ text: 'words', files: [a, b, c] }], { b: 'file' }, ['> words', 'a', 'c', '[b file]']],
      ['words after it', [{ text: 'one', files: [a] }, { text: 'two', files: [] }], { a: 'rights' }, ['> one', 'two', '[a rights]']],
    ],
  )('%s', async (_name, parts, refuses, expected) => {
    for (const steps of [1000, 3, 2, 1]) expect(await run(parts, refuses, steps)).toEqual(expected);
  });

  it('are named in one sentence for each reason, with the command that sends them', () => {
    const words = { platform: 'Talk', get: '/get', reasons: {} };
    const one = refusalNotice([{ name: 'a.csv', why: 'rights' }], words, asCode, messagesIn('en'));
    expect(one).toBe(
      "I couldn't attach `a.csv` here: I'm not allowed to send files in this place. Ask for it in a private chat with `/get a.csv`.",
    );
    const names = Array.from({ length: 9 }, (_, n) => ({ name: `${n}\n.txt`, why: 'file' as const }));
    const many = refusalNotice([...names, { name: 'my plan.md', why: 'policy' }], words, asCode, messagesIn('en'));
    expect(many).toContain(
      "`0 .txt`, `1 .txt`, `2 .txt`, `3 .txt`, `4 .txt` and 4 more here: Talk didn't accept them. Try `/get all`",
    );
    expect(many).toContain("`my plan.md` here: Talk doesn't accept files here. Once it does, ask for it with `/get`.");
    expect(refusalNotice([{ name: '`x`', why: 'size' }], words, asCode, messagesIn('en'))).toContain('`` `x` ``');
  });
});
