/** Documents to text: each kind, and what damaged, locked, empty and hostile ones come to. */
import fs from 'node:fs';
import path from 'node:path';
import { constants, deflateRawSync } from 'node:zlib';
import { unzipSync, zipSync } from 'fflate';
import { beforeEach, describe, expect, it } from 'vitest';
import { createReader, readDocument } from '../../../src/features/documents/documents.ts';
import { documentText } from '../../../src/features/documents/formats/by-content.ts';
import { DocumentError } from '../../../src/features/documents/formats/refused.ts';
import { Unreadable } from '../../../src/runtime/contract/reading.ts';
import { fileKind } from '../../../src/runtime/reading/kinds.ts';
import { tempFolder } from '../../helpers/temp.ts';
import { processesWith } from '../../skills/helpers.ts';
import {
  cells,
  deck,
  declaring,
  docx,
  docxOnline,
  docxTable,
  locked,
  ods,
  odt,
  packedPdf,
  pdf,
  pptx,
  timesheet,
  xlsx,
} from './made.ts';

const zipOf = (bytes: Buffer) => Buffer.from(zipSync({ 'one.zip': bytes }, { level: 9 }));

let folder: string;
beforeEach(() => {
  folder = tempFolder();
});

/** What the process of a document does, in this one: the formats need no process to be read. */
async function read(bytes: Uint8Array): Promise<string> {
  try {
    return await documentText(new Uint8Array(bytes));
  } catch (error) {
    if (error instanceof DocumentError) return `refused: ${error.message}`;
    throw error;
  }
}

async function readApart(bytes: Uint8Array, reader = readDocument): Promise<string> {
  const file = path.join(folder, 'file');
  fs.writeFileSync(file, bytes);
  try {
    return await reader(file, new AbortController().signal);
  } catch (error) {
    if (error instanceof Unreadable) return `refused: ${error.message}`;
    throw error;
  }
}

describe('a document is read', () => {
  it.each(
    // biome-ignore format: a row is a line
    [
      ['docx', docx('Dear Alex,\nthe meeting is at nine.'), 'Dear Alex,\n\nthe meeting is at nine.'],
      ['docx with a table', docxTable(), '| Item | Price |\n| --- | --- |\n| Tea | 3.20 |'],
      ['xlsx', xlsx([['Item', 'Price'], ['Tea', 3.2]]), '## Sheet: Costs\nItem | Price\nTea | 3.2'],
      ['pptx', pptx(['Welcome', 'The plan']), '## Slide 1\nWelcome\n\n## Slide 2\nThe plan'],
      ['odt', odt('Minutes'), 'Minutes'],
      ['pdf', pdf(['First page', 'Second page']), '## Page 1\nFirst page\n\n## Page 2\nSecond page'],
      ['html', Buffer.from('<!doctype html><script>evil()</script><h1>News</h1><p>It rains.'), '# News\n\nIt rains.'],
      ['zip', Buffer.from(zipSync({ 'a/b.txt': Buffer.from('12345'), 'c.md': Buffer.from('x') })), 'An archive of 2 files'],
    ],
  )('%s', async (_kind, bytes, text) => {
    expect(await read(bytes)).toContain(text);
  });
});

describe('a document of the real world', () => {
  it('is Word’s of the browser, with its comments', async () => {
    expect(await read(docxOnline('We sold ten'))).toMatch(/^We sold ten\[KO1\]\n\n.*Is that so\?/s);
  });

  it('is a presentation with its slides in order, each with its own notes, charts and drawings', async () => {
    const one =
      '## Slide 1\nOur numbers\nChart: Sales\n | Q1 | Q2\nNorth | 4.3 | 2\nSouth | 7 | 8\nPlan\nBuild\nNotes: Say it slowly';
    expect(await read(deck())).toBe(`${one}\n\n## Slide 2\nThank you`);
  });

  it.each([
    ['a formula as a library writes it', '<c r="A1"><f>SUM(B1:B9)</f><v></v></c>', '=SUM(B1:B9) [not calculated]'],
    ['one without any value', '<c r="A1" s="1"><f>B1&amp;"x"</f></c>', '=B1&"x" [not calculated]'],
    ['one with an empty element', '<c r="A1"><f>1+1</f><v/></c>', '=1+1 [not calculated]'],
    ['one that is shared', '<c r="A1"><f t="shared" si="0"/></c>', '[formula, not calculated]'],
    ['one whose result is known', '<c r="A1"><f>1+1</f><v>2</v></c>', '2'],
    ['one whose result is an empty text', '<c r="A1" t="str"><f>""</f><v></v></c><c r="B1"><v>1</v></c>', ' | 1'],
    ['an error', '<c r="A1" t="e"><f>B1/0</f><v>#DIV/0!</v></c>', '#DIV/0!'],
    ['an error without a formula', "<c r='A1' t='e'><v>#REF!</v></c><c r=\"B1\"><v>1</v></c>", '#REF! | 1'],
    ['an error without a name', '<c r="A1" t="e"></c>', '#VALUE!'],
    [
      'cells that close themselves',
      '<c r="A1"/><c r="B1" s="3"/><c r="C1"><f>2*3</f></c>',
      ' |  | =2*3 [not calculated]',
    ],
  ])('names in a sheet: %s', async (_what, row, shown) => {
    const text = await read(cells(row));
    expect(text).toContain(`## Sheet: Costs\n${shown}`.trimEnd());
    expect(text.includes('have formulas without results')).toBe(shown.includes('not calculated'));
  });

  const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
  const sheetOf = (data: string) => `<worksheet xmlns="${MAIN}"><sheetData>${data}</sheetData></worksheet>`;
  const changed = (bytes: Buffer, change: (parts: Record<string, Uint8Array>) => void) => {
    const parts = unzipSync(bytes);
    change(parts);
    return Buffer.from(zipSync(parts));
  };
  const wide = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');
  const inStyle = (code: string, value: string, properties = '') =>
    changed(cells(`<c r="A1" s="0"><v>${value}</v></c>`), (parts) => {
      const edit = (name: string, from: string, to: string) => {
        parts[name] = Buffer.from(
          Buffer.from(parts[name] ?? [])
            .toString()
            .replace(from, () => to),
        );
      };
      parts['xl/styles.xml'] = Buffer.from(
        `<styleSheet xmlns="${MAIN}"><numFmts><numFmt numFmtId="164" formatCode="${code}"/></numFmts><cellStyleXfs><xf numFmtId="0"/></cellStyleXfs><cellXfs><xf numFmtId="164"/></cellXfs></styleSheet>`,
      );
      edit('xl/workbook.xml', '<sheets>', `${properties}<sheets>`);
      const type = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles';
      const styles = `<Relationship Id="rId9" Type="${type}" Target="styles.xml"/></Relationships>`;
      edit('xl/_rels/workbook.xml.rels', '</Relationships>', styles);
    });

  it.each([
    ['a text without its table', '<c r="A1" t="s"><v>9</v></c><c r="B1"><v>1</v></c>', ' | 1'],
    ['words where a number should be', '<c r="A1"><v>abc</v></c><c r="B1"><v>2</v></c>', 'abc | 2'],
    ['a type of its own', '<c r="A1" t="new"><v>abc</v></c><c r="B1"><v>2</v></c>', 'abc | 2'],
    ['a style that is not there', '<c r="A1" s="77"><v>1</v></c>', '1'],
    ['a date that is none', '<c r="A1" t="d"><v>soon</v></c><c r="B1" t="b"><v>true</v></c>', 'soon | true'],
    ['places that are left out', '<c><v>1</v></c><c t="inlineStr"><is><t>x</t></is></c>', '1 | x'],
    ['the same place twice', '<c r="A1"><v>1</v></c><c r="A1"><v>2</v></c>', '2'],
    ['an inline text as a value', '<c r="A1" t="inlineStr"><v>text</v></c>', 'text'],
    ['an unparsed text', '<c r="A1" t="str"><v><![CDATA[a <b>]]></v></c>', 'a <b>'],
    ['an error on several lines', '<c\n r="A1"\n t="e"\n><v>#N/A</v></c\n>', '#N/A'],
    ['a formula in a comment', '<!-- <c r="A1"><f>9</f></c> --><c r="A1"><v>4</v></c>', '4'],
    ['a long number', '<c r="A1"><v>4111111111111111</v></c>', '4111111111111111'],
    ['escaped signs', '<c r="A1" t="str"><v>a_x000D_b</v></c>', 'ab'],
    ['readings of characters', '<c r="A1" t="inlineStr"><is><r><t>東京</t></r><rPh><t>トウ</t></rPh></is></c>', '東京'],
    ['a cell far away', '<c r="A1"><v>1</v></c><c r="XFD1"><v>2</v></c>', '1 | [16382 empty cells] | 2'],
  ])('takes %s for what it is, and reads the rest', async (_what, row, shown) => {
    expect(await read(cells(row))).toBe(`## Sheet: Costs\n${shown}`);
  });

  it.each([
    ['dd/mm/yyyy', '45000', '', '2023-03-15'],
    ['[$-407]d\\. mmmm yyyy;@', '45000', '', '2023-03-15'],
    ['yyyy-mm-dd', '43538', '<workbookPr date1904="true"/>', '2023-03-15'],
    ['dd/mm/yyyy', '59', '', '1900-02-28'],
    ['dd/mm/yyyy', '-1', '', '-1'],
    ['dd/mm/yyyy', '99999999999', '', '99999999999'],
    ['h:mm AM/PM', '0.75', '', '18:00'],
    ['[h]:mm', '100', '', '2400:00'],
    ['0 &quot;days&quot;', '45000', '', '45000'],
    ['#,##0;[Red]-#,##0', '45000', '', '45000'],
    ['0.0,,\\ \\m', '45000', '', '45000'],
  ])('shows a number in the format %s as people read it: %s', async (code, value, properties, shown) => {
    expect(await read(inStyle(code, value, properties))).toBe(`## Sheet: Costs\n${shown}`);
  });

  it('is a sheet that another program wrote in another way', async () => {
    const one = cells('<c r="A1" t="str"><v>one</v></c>');
    const [sheet, book] = ['xl/worksheets/sheet1.xml', 'xl/workbook.xml'];
    const ways = [
      (parts: Record<string, Uint8Array>) => {
        parts[sheet] = wide(
          `<?xml version="1.0" encoding="UTF-16"?>${sheetOf('<row><c t="str"><v>one</v></c></row>')}`,
        );
      },
      (parts: Record<string, Uint8Array>) => {
        for (const [name, part] of Object.entries(parts)) {
          delete parts[name];
          parts[name.replaceAll('/', '\\')] = part;
        }
      },
      (parts: Record<string, Uint8Array>) => {
        parts[sheet] = Buffer.from(sheetOf('<row r="1"><c r="A1" t="str"><v>one</v></c>').slice(0, -20));
      },
      (parts: Record<string, Uint8Array>) => {
        parts[book.replace('.xml', '22.xml')] = parts[book] as Uint8Array;
        parts['xl/_rels/workbook22.xml.rels'] = parts['xl/_rels/workbook.xml.rels'] as Uint8Array;
        delete parts[book];
      },
    ];
    for (const way of ways) expect(await read(changed(one, way))).toBe('## Sheet: Costs\none');
    const hidden = changed(one, (parts) => {
      parts[book] = Buffer.from(
        Buffer.from(parts[book] ?? [])
          .toString()
          .replace('<sheet ', '<sheet state="veryHidden" '),
      );
      delete parts[sheet];
    });
    expect(await read(hidden)).toBe('## Sheet: Costs (hidden)\n[The sheet is not in the file]');
  });

  const cell = (text: string, more = '') => `<table:table-cell${more}><text:p>${text}</text:p></table:table-cell>`;
  const two = '<table:table-cell table:number-columns-repeated="2"/>';
  it.each([
    ['columns that repeat', `${cell('a')}${two}${cell('b', ' table:number-columns-repeated="2"')}`, 'a |  |  | b | b'],
    ['cells that are covered', `${cell('a')}<table:covered-table-cell/>${cell('b')}`, 'a |  | b'],
    ['a date without its text', '<table:table-cell office:date-value="2024-01-02"/>', '2024-01-02'],
    [
      'a comment',
      cell('<office:annotation><dc:creator>Kim</dc:creator><text:p>why?</text:p></office:annotation>5'),
      '[why?] 5',
    ],
    [
      'a table in a cell',
      `<table:table-cell><text:p>a</text:p><table:table><table:table-row>${cell('in')}</table:table-row></table:table></table:table-cell>${cell('b')}`,
      'a in | b',
    ],
    ['spaces', cell('a<text:s text:c="3"/>b\n   c'), 'a   b c'],
  ])('keeps %s of OpenDocument', async (_what, row, shown) => {
    expect(await read(ods(row))).toBe(shown);
  });

  it('leaves out what was deleted in OpenDocument, and names its sheets', async () => {
    const edited = (from: string, to: string, bytes: Buffer) =>
      changed(bytes, (parts) => {
        parts['content.xml'] = Buffer.from(
          Buffer.from(parts['content.xml'] ?? [])
            .toString()
            .replace(from, to),
        );
      });
    const named = edited('<table:table>', '<table:table table:name="May">', ods(cell('1')));
    expect(await read(named)).toBe('## Sheet: May\n1');
    const gone =
      '<text:tracked-changes><text:deletion><text:p>gone</text:p></text:deletion></text:tracked-changes><text:p>';
    expect(await read(edited('<text:p>', gone, odt('kept')))).toBe('kept');
  });

  it('is Word’s with its formulas, boxes to tick, and letterhead', async () => {
    const math = (inner: string) => `<m:oMath xmlns:m="m">${inner}</m:oMath>`;
    const t = (text: string) => `<m:r><m:t>${text}</m:t></m:r>`;
    const formula = math(
      `${t('E=')}<m:f><m:num>${t('m&amp;n')}</m:num><m:den>${t('2')}</m:den></m:f><m:sSup><m:e>${t('c')}</m:e><m:sup>${t('2')}</m:sup></m:sSup>`,
    );
    const box = (checked: number) =>
      `<w:p><w:sdt><w:sdtPr><w14:checkbox xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"><w14:checked w14:val="${checked}"/></w14:checkbox></w:sdtPr><w:sdtContent><w:r><w:t>☒</w:t></w:r></w:sdtContent></w:sdt><w:r><w:t> Tea</w:t></w:r></w:p>`;
    const made = changed(docx('', `<w:p>${formula}</w:p>${box(1)}${box(0)}`), (parts) => {
      const head = (text: string) => Buffer.from(`<w:hdr xmlns:w="w"><w:p><w:r><w:t>${text}</w:t></w:r></w:p></w:hdr>`);
      Object.assign(parts, { 'word/header1.xml': head('Kim Ott, Bern'), 'word/header2.xml': head('Kim Ott, Bern') });
      parts['word/footer1.xml'] = head('7');
    });
    expect(await read(made)).toBe('[header: Kim Ott, Bern]\n\nE=(m&n)/2c^2\n\n[x] Tea\n\n[ ] Tea');
    const inWide = changed(docx('wide words'), (parts) => {
      const name = 'word/document.xml';
      parts[name] = wide(
        Buffer.from(parts[name] ?? [])
          .toString()
          .replace('UTF-8', 'UTF-16'),
      );
    });
    expect(await read(inWide)).toBe('wide words');
  });

  it.each(
    // biome-ignore format: a row is a line
    [
      ['without a second form', (box: string) => alternatives(box), 'before\n\nof &'],
      ['with an empty second form', (box: string) => alternatives(box, ''), 'before\n\nof &'],
      ['with a picture as its second form', (box: string) => alternatives(box, '<w:drawing/>'), 'before\n\nof &'],
      ['with words in both forms', (box: string) => alternatives(box, `<w:pict>${WORDS_IN_BOX}</w:pict>`), 'before\n\nof &'],
      ['in the new form alone', (box: string) => box, 'before\n\nof &'],
      ['in an oval of the old form', () => `<w:pict><v:oval xmlns:v="v">${WORDS_IN_BOX}</v:oval></w:pict>`, 'before\n\nof &'],
      ['in another', (box: string) => inBox(`${paragraph('outer')}<w:p><w:r>${box}</w:r></w:p>`), 'before\n\nouter\n\nof &'],
      ['that has words alone in one form', () => alternatives('', '<w:t> ☎</w:t>'), 'before ☎'],
    ],
  )('is Word’s with a text box %s', async (_what, put, text) => {
    const run = `<w:r>${put(inBox(paragraph('of &amp;')))}</w:r>`;
    expect(await read(docx('', `<w:p xmlns:mc="${MC}"><w:r><w:t>before</w:t></w:r>${run}</w:p>`))).toBe(text);
    const head = changed(docx('text'), (parts) => {
      const xml = `<w:hdr xmlns:w="w" xmlns:mc="${MC}"><w:p><w:r><w:t>before</w:t></w:r>${run}</w:p></w:hdr>`;
      parts['word/header1.xml'] = Buffer.from(xml);
    });
    expect(await read(head)).toBe(`[header: ${text.replaceAll('\n\n', ' / ')}]\n\ntext`);
  });

  it('shows the formulas of OpenDocument that have no result', async () => {
    const row =
      '<table:table-cell table:formula="of:=SUM([.A1:.A3])"/><table:table-cell table:formula="of:=1+1" office:value="2"><text:p>2</text:p></table:table-cell><table:table-cell><text:p>#REF!</text:p></table:table-cell>';
    expect(await read(ods(row))).toBe('=SUM([.A1:.A3]) [not calculated] | 2 | #REF!');
  });

  it('lists the names in an archive in the encoding of the machine that made it', async () => {
    const zip = Buffer.from(zipSync({ 'aaaaaaaa.txt': Buffer.from('1') }));
    const bytes = Buffer.from('xOO6w8rAvec=', 'base64');
    for (let at = zip.indexOf('aaaaaaaa'); at >= 0; at = zip.indexOf('aaaaaaaa')) bytes.copy(zip, at);
    expect(await read(zip)).toContain('"你好世界.txt"');
  });

  it('is a sheet of hours, with times as a person reads them', async () => {
    expect(await read(timesheet())).toBe('## Sheet: May\n09:30 | 160:30 | 2023-03-15T12:00:00 | 0.3');
  });

  it('is a page in the letters it declares, or those of Windows', async () => {
    const page = (meta: string) =>
      Buffer.from(`<html><head>${meta}</head><body><p>Gr\xfc\xdfe</p></body></html>`, 'latin1');
    expect(await read(page('<meta http-equiv="Content-Type" content="text/html; charset=windows-1252">'))).toBe(
      'Grüße',
    );
    const wide = Buffer.from('\ufeff<html><body><p>Grüße</p></body></html>', 'utf16le');
    expect(await read(wide)).toBe('Grüße');
  });

  it.each([
    ['of Excel in its binary form', { 'xl/workbook.bin': Buffer.from('x') }, /\.xlsb.*as \.xlsx/],
    ['of Pages, Numbers or Keynote', { 'Index/Document.iwa': Buffer.from('x') }, /export it as PDF/],
  ])('is one %s: it is said what to send instead', async (_what, parts, words) => {
    expect(await read(Buffer.from(zipSync(parts)))).toMatch(words);
  });
});

const MC = 'http://schemas.openxmlformats.org/markup-compatibility/2006';
const paragraph = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;
const WORDS_IN_BOX = `<w:txbxContent>${paragraph('of &amp;')}</w:txbxContent>`;
const inBox = (body: string) =>
  `<w:drawing><wps:txbx xmlns:wps="wps"><w:txbxContent>${body}</w:txbxContent></wps:txbx></w:drawing>`;
const alternatives = (choice: string, fallback?: string) =>
  `<mc:AlternateContent><mc:Choice Requires="wps">${choice}</mc:Choice>${
    fallback === undefined ? '' : `<mc:Fallback>${fallback}</mc:Fallback>`
  }</mc:AlternateContent>`;

describe('a document is refused', () => {
  const broken = docx('hello');
  broken.fill(0x20, 60, 200);
  it.each([
    ['of no bytes', Buffer.alloc(0), 'The file is empty.'],
    ['that says nothing', docx(''), 'There is no text in it.'],
    ['that is a scan', pdf(['', '']), 'There is no text in it: its pages are pictures'],
    ['with a password', locked(), 'protected with a password'],
    ['of the old Office', Buffer.from('d0cf11e0a1b11ae1'.padEnd(2000, '0'), 'hex'), 'before 2007'],
    ['that is damaged', broken, 'damaged'],
    ['that is cut off', docx('hello').subarray(0, 300), 'damaged'],
    ['that is no PDF inside', Buffer.from('%PDF-1.7\nnothing here'), 'damaged'],
    ['that is something else', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 1, 2, 3]), 'damaged'],
  ])('%s', async (_what, bytes, words) => {
    expect(await read(bytes)).toMatch(new RegExp(`^refused: .*${words}`));
  });
});

describe('a hostile document', () => {
  const bomb = Buffer.from(zipSync({ 'word/document.xml': Buffer.alloc(65 * 1024 * 1024, 0x20) }));

  it('that unpacks to far more than its size is not unpacked', async () => {
    expect(await read(bomb)).toContain('far more than its size');
  });

  it('that lies about what it unpacks to gets no more room than it said', async () => {
    const before = process.memoryUsage().arrayBuffers;
    expect(await read(declaring(bomb, 1000))).toMatch(/^refused: /);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20 * 1024 * 1024);
  });

  it('with a cell at the end of the world ends its own process alone', async () => {
    const far = xlsx([['here'], ['there']], (row) => (row === 0 ? 'A1' : 'XFD1048576'));
    expect(await readApart(far, narrow)).toMatch(
      /^refused: It (is too large|takes too long)|^refused: The file is damaged|there/,
    );
  });

  /** Deflated: a megabyte of these words, so many times, without ever being unpacked here. */
  const packed = (megabytes: number, piece: string) => {
    const block = deflateRawSync(Buffer.alloc(1024 * 1024, piece, 'latin1'), { finishFlush: constants.Z_FULL_FLUSH });
    return Buffer.concat([Buffer.from([0x78, 0x9c]), ...Array(megabytes).fill(block), Buffer.from([0x03, 0x00])]);
  };
  /** Limits that small files meet as gigabytes meet those of the gateway. */
  const narrow = createReader({ memoryMb: 256, cpuSeconds: 3 });
  const OUT_OF_ROOM = /^refused: It (is too large or too damaged|takes too long) to read\.$/;

  it.each([
    ['a PDF whose page unpacks to gigabytes', () => packedPdf(packed(300, 'q Q ')), /^refused: /],
    ['a PDF whose page is one text without end', () => packedPdf(packed(30, 'BT (words) Tj ET\n')), /./],
    ['a PDF whose page opens brackets', () => packedPdf(packed(100, '[')), /^refused: /],
    ['a Word document of nothing but elements', () => docx('', '<w:p/>'.repeat(1_500_000)), /^refused: /],
    ['a page of open elements', () => Buffer.from(`<html>${'<b>'.repeat(1_000_000)}`), /./],
    ['an archive of archives', () => zipOf(zipOf(Buffer.alloc(60 * 1024 * 1024))), /An archive of 1 files/],
  ])('%s leaves the gateway its memory', async (_what, bytes, words) => {
    const [made, before] = [bytes(), process.memoryUsage().rss];
    const text = await readApart(made, narrow);
    expect(text.slice(0, 500)).toMatch(words);
    if (text.startsWith('refused: It')) expect(text).toMatch(OUT_OF_ROOM);
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
    expect(await readApart(docx('the next'))).toBe('the next');
  });

  it('is none for its million rows, which the gateway does not hold', async () => {
    const [rows, before] = [cells('<c><v>12345</v></c></row><row>'.repeat(1_000_000)), process.memoryUsage().rss];
    expect(await readApart(rows)).toMatch(/^## Sheet: Costs\n12345/);
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
  });

  it.skipIf(process.platform !== 'linux')('whose process is killed is one that cannot be read', async () => {
    const long = docx(Array.from({ length: 300_000 }, (_line, index) => `line ${index}`).join('\n'));
    const children = () =>
      processesWith('documents/formats/worker.ts').filter((pid) => {
        const [, parent] = /\) \S (\d+)/.exec(fs.readFileSync(`/proc/${pid}/stat`, 'latin1')) ?? [];
        return Number(parent) === process.pid;
      });
    const text = readApart(long);
    await expect.poll(children).toHaveLength(1);
    for (const pid of children()) process.kill(Number(pid), 'SIGKILL');
    expect(await text).toBe('refused: It is too large or too damaged to read.');
  });

  it('that was replaced by a link to another is not read', async () => {
    const [file, other] = [path.join(folder, 'file'), path.join(tempFolder(), 'other')];
    fs.writeFileSync(other, docx('of somebody else'));
    fs.symlinkSync(other, file);
    await expect(readDocument(file, new AbortController().signal)).rejects.toThrow('It no longer exists.');
  });

  it('that takes too long is left, and so is one whose run was stopped', async () => {
    const long = docx('line\n'.repeat(20_000));
    expect(await readApart(long, createReader({ timeoutMs: 1 }))).toBe('refused: It takes too long to read.');
    const file = path.join(folder, 'file');
    const stop = new AbortController();
    const reading = readDocument(file, stop.signal);
    stop.abort(new Error('stopped'));
    await expect(reading).rejects.toThrow('stopped');
  });

  it('names files outside of it in vain', async () => {
    const body = `<w:p><w:r><w:t>seen</w:t></w:r></w:p>`;
    expect(await readApart(docx('', body))).toBe('seen');
    const zip = Buffer.from(zipSync({ '../../etc/passwd': Buffer.from('x') }));
    expect(await readApart(zip)).toContain('"../../etc/passwd", 1 bytes');
    expect(fs.readdirSync(folder)).toEqual(['file']);
  });
});

it('knows documents by type, and by name where the type says nothing', () => {
  expect(fileKind({ type: 'application/pdf', name: 'x' })).toBe('document');
  expect(fileKind({ type: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', name: '' })).toBe(
    'document',
  );
  expect(fileKind({ type: 'application/octet-stream', name: 'Budget.XLSX' })).toBe('document');
  for (const [type, name] of [
    ['application/vnd.ms-excel.sheet.macroEnabled.12', 'Budget.xlsm'],
    ['application/vnd.ms-word.document.macroEnabled.12', 'Letter.docm'],
    ['application/wps-office.docx', 'Letter.docx'],
    ['application/vnd.ms-office', 'Slides.pptx'],
    ['application/x-zip', 'all.zip'],
    ['application/vnd.apple.pages', 'Letter.pages'],
  ] as const) {
    expect([name, fileKind({ type, name })]).toEqual([name, 'document']);
  }
  expect(fileKind({ type: 'application/json', name: 'a.json' })).toBeUndefined();
  expect(fileKind({ type: 'text/html', name: 'index.html' })).toBe('page');
  expect(fileKind({ type: 'text/csv', name: 'a.csv' })).toBeUndefined();
});
