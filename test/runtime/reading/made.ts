/** Small documents of the shapes that Word, Excel, PowerPoint and others write, and hostile ones. */
import { zipSync } from 'fflate';

const xml = (body: string) => Buffer.from(`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>${body}`);
const types = (parts: [name: string, type: string][]) =>
  xml(
    `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${parts.map(([name, type]) => `<Override PartName="/${name}" ContentType="${type}"/>`).join('')}</Types>`,
  );
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const relations = (target: string, type = 'officeDocument') =>
  xml(
    `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="${OFFICE}/${type}" Target="${target}"/></Relationships>`,
  );

const W = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';

/** @param body the XML of the document's body; paragraphs of text by default */
export function docx(text: string, body?: string): Buffer {
  const paragraphs = text
    .split('\n')
    .map((line) => `<w:p><w:r><w:t xml:space="preserve">${line}</w:t></w:r></w:p>`)
    .join('');
  return Buffer.from(
    zipSync({
      '[Content_Types].xml': types([
        ['word/document.xml', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml'],
      ]),
      '_rels/.rels': relations('word/document.xml'),
      'word/document.xml': xml(`<w:document xmlns:w="${W}"><w:body>${body ?? paragraphs}</w:body></w:document>`),
    }),
  );
}

export const docxTable = (): Buffer => {
  const cell = (text: string) => `<w:tc><w:p><w:r><w:t>${text}</w:t></w:r></w:p></w:tc>`;
  const row = (...cells: string[]) => `<w:tr>${cells.map(cell).join('')}</w:tr>`;
  return docx('', `<w:tbl>${row('Item', 'Price')}${row('Tea', '3.20')}</w:tbl>`);
};

export function xlsx(
  rows: (string | number)[][],
  at = (row: number, column: number) => `${'ABCDEFGH'[column]}${row + 1}`,
): Buffer {
  const M = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
  const cells = rows.map((row, r) => {
    const inner = row.map((value, c) =>
      typeof value === 'number'
        ? `<c r="${at(r, c)}"><v>${value}</v></c>`
        : `<c r="${at(r, c)}" t="inlineStr"><is><t>${value}</t></is></c>`,
    );
    return `<row r="${/\d+$/.exec(at(r, 0))?.[0]}">${inner.join('')}</row>`;
  });
  return Buffer.from(
    zipSync({
      '[Content_Types].xml': types([
        ['xl/workbook.xml', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml'],
        ['xl/worksheets/sheet1.xml', 'application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml'],
      ]),
      '_rels/.rels': relations('xl/workbook.xml'),
      'xl/workbook.xml': xml(
        `<workbook xmlns="${M}" xmlns:r="${OFFICE}"><sheets><sheet name="Costs" sheetId="1" r:id="rId1"/></sheets></workbook>`,
      ),
      'xl/_rels/workbook.xml.rels': relations('worksheets/sheet1.xml', 'worksheet'),
      'xl/worksheets/sheet1.xml': xml(`<worksheet xmlns="${M}"><sheetData>${cells.join('')}</sheetData></worksheet>`),
    }),
  );
}

export function pptx(slides: string[]): Buffer {
  const A = 'http://schemas.openxmlformats.org/drawingml/2006/main';
  const P = 'http://schemas.openxmlformats.org/presentationml/2006/main';
  const slide = (text: string) =>
    xml(
      `<p:sld xmlns:a="${A}" xmlns:p="${P}"><p:cSld><p:spTree><p:sp><p:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>`,
    );
  const files = Object.fromEntries(slides.map((text, index) => [`ppt/slides/slide${index + 1}.xml`, slide(text)]));
  return Buffer.from(zipSync({ 'ppt/presentation.xml': xml(`<p:presentation xmlns:p="${P}"/>`), ...files }));
}

export function odt(text: string): Buffer {
  const content = xml(
    `<office:document-content xmlns:office="o" xmlns:text="t"><office:body><office:text><text:h>${text}</text:h></office:text></office:body></office:document-content>`,
  );
  return Buffer.from(
    zipSync({ mimetype: Buffer.from('application/vnd.oasis.opendocument.text'), 'content.xml': content }),
  );
}

/** A page a text; '' is a page with nothing but a drawing. */
export function pdf(pages: string[]): Buffer {
  const objects: string[] = [];
  const kids = pages.map((_text, index) => `${4 + index * 2} 0 R`).join(' ');
  objects[1] = '<< /Type /Catalog /Pages 2 0 R >>';
  objects[2] = `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`;
  objects[3] = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>';
  for (const [index, text] of pages.entries()) {
    const stream = text === '' ? '10 10 100 100 re f' : `BT /F1 12 Tf 72 720 Td (${text}) Tj ET`;
    objects[4 + index * 2] =
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${5 + index * 2} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`;
    objects[5 + index * 2] = `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`;
  }
  let out = '%PDF-1.4\n';
  const places: number[] = [];
  for (let number = 1; number < objects.length; number += 1) {
    places[number] = out.length;
    out += `${number} 0 obj\n${objects[number]}\nendobj\n`;
  }
  const xref = out.length;
  const lines = places.slice(1).map((place) => `${String(place).padStart(10, '0')} 00000 n \n`);
  out += `xref\n0 ${objects.length}\n0000000000 65535 f \n${lines.join('')}trailer\n<< /Size ${objects.length} /Root 1 0 R >>\nstartxref\n${xref}\n%%EOF\n`;
  return Buffer.from(out, 'latin1');
}

/** What Office writes when a document is saved with a password: the old container, with the zip encrypted in it. */
export function locked(): Buffer {
  const bytes = Buffer.alloc(4096);
  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(bytes);
  bytes.write('EncryptedPackage', 1024, 'utf16le');
  return bytes;
}

/** Says of each entry that it unpacks to so much, whatever it holds. */
export function declaring(zip: Buffer, size: number): Buffer {
  const lying = Buffer.from(zip);
  for (let at = lying.indexOf('PK\x01\x02', 0, 'latin1'); at >= 0; at = lying.indexOf('PK\x01\x02', at + 4, 'latin1'))
    lying.writeUInt32LE(size, at + 24);
  return lying;
}
