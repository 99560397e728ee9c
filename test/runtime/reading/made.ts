/** Small documents of the shapes that Word, Excel, PowerPoint and others write, and hostile ones. */
import { unzipSync, zipSync } from 'fflate';

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

/** As Word in the browser writes it: the document is not where Word on a machine has it. */
export function docxOnline(text: string): Buffer {
  const body = `<w:p><w:r><w:t>${text}</w:t></w:r><w:r><w:commentReference w:id="1"/></w:r></w:p>`;
  const comment = `<w:comment w:id="1" w:author="Kim Ott" w:initials="KO"><w:p><w:r><w:t>Is that so?</w:t></w:r></w:p></w:comment>`;
  const kind = 'application/vnd.openxmlformats-officedocument.wordprocessingml';
  return Buffer.from(
    zipSync({
      '[Content_Types].xml': types([
        ['word/document2.xml', `${kind}.document.main+xml`],
        ['word/comments.xml', `${kind}.comments+xml`],
      ]),
      '_rels/.rels': relations('/word/document2.xml'),
      'word/_rels/document2.xml.rels': relations('/word/comments.xml', 'comments'),
      'word/document2.xml': xml(`<w:document xmlns:w="${W}"><w:body>${body}</w:body></w:document>`),
      'word/comments.xml': xml(`<w:comments xmlns:w="${W}">${comment}</w:comments>`),
    }),
  );
}

export const docxTable = (): Buffer => {
  const cell = (text: string) => `<w:tc><w:p><w:r><w:t>${text}</w:t></w:r></w:p></w:tc>`;
  const row = (...cells: string[]) => `<w:tr>${cells.map(cell).join('')}</w:tr>`;
  return docx('', `<w:tbl>${row('Item', 'Price')}${row('Tea', '3.20')}</w:tbl>`);
};

/** A sheet of hours: a time of day, hours worked, a date with its time, and a sum with the noise of its last digit. */
export function timesheet(): Buffer {
  const M = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
  const related = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`;
  const cells = [
    ['1', '0.39583333333333331'],
    ['2', '6.6875'],
    ['3', '45000.5'],
    ['0', '0.30000000000000004'],
  ].map(([style, value], index) => `<c r="${'ABCD'[index]}1" s="${style}"><v>${value}</v></c>`);
  return Buffer.from(
    zipSync({
      '[Content_Types].xml': types([]),
      '_rels/.rels': relations('xl/workbook.xml'),
      'xl/workbook.xml': xml(
        `<workbook xmlns="${M}" xmlns:r="${OFFICE}"><sheets><sheet name="May" sheetId="1" r:id="rId1"/></sheets></workbook>`,
      ),
      'xl/_rels/workbook.xml.rels': xml(
        `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${related('rId1', 'worksheet', 'worksheets/sheet1.xml')}${related('rId2', 'styles', 'styles.xml')}</Relationships>`,
      ),
      'xl/styles.xml': xml(
        `<styleSheet xmlns="${M}"><numFmts count="2"><numFmt numFmtId="164" formatCode="[h]:mm"/><numFmt numFmtId="165" formatCode="dd/mm/yyyy\\ hh:mm"/></numFmts><cellXfs count="4"><xf numFmtId="0"/><xf numFmtId="20" applyNumberFormat="1"/><xf numFmtId="164" applyNumberFormat="1"/><xf numFmtId="165" applyNumberFormat="1"/></cellXfs></styleSheet>`,
      ),
      'xl/worksheets/sheet1.xml': xml(
        `<worksheet xmlns="${M}"><sheetData><row r="1">${cells.join('')}</row></sheetData></worksheet>`,
      ),
    }),
  );
}

/** Its cells are XML: `<c r="A1">...</c>`. */
export function cells(...rows: string[]): Buffer {
  const parts = unzipSync(xlsx([['x']]));
  const sheet = Buffer.from(parts['xl/worksheets/sheet1.xml'] ?? []).toString();
  const data = rows.map((row, at) => `<row r="${at + 1}">${row}</row>`).join('');
  parts['xl/worksheets/sheet1.xml'] = Buffer.from(
    sheet.replace(/<sheetData>.*<\/sheetData>/, () => `<sheetData>${data}</sheetData>`),
  );
  return Buffer.from(zipSync(parts));
}

export function ods(row: string): Buffer {
  const content = xml(
    `<office:document-content xmlns:office="o" xmlns:table="b" xmlns:text="t"><office:body><office:spreadsheet><table:table><table:table-row>${row}</table:table-row></table:table></office:spreadsheet></office:body></office:document-content>`,
  );
  return Buffer.from(
    zipSync({ mimetype: Buffer.from('application/vnd.oasis.opendocument.spreadsheet'), 'content.xml': content }),
  );
}

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

/**
 * As PowerPoint writes it: slides in the order of the presentation, whatever their files are called; notes, charts and drawings
 * of a slide in files of their own with numbers of their own.
 */
export function deck(): Buffer {
  const names = `xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:r="${OFFICE}" xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram"`;
  const said = (text: string) => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`;
  const slide = (text: string) =>
    xml(
      `<p:sld ${names}><p:cSld><p:spTree><p:sp><p:txBody>${said(text)}</p:txBody></p:sp></p:spTree></p:cSld></p:sld>`,
    );
  const notes = (text: string) =>
    xml(
      `<p:notes ${names}><p:cSld><p:spTree><p:sp><p:txBody>${said(text)}</p:txBody></p:sp></p:spTree></p:cSld></p:notes>`,
    );
  const points = (values: (string | number)[]) =>
    values.map((value, index) => `<c:pt idx="${index}"><c:v>${value}</c:v></c:pt>`).join('');
  const cat = `<c:cat><c:strRef><c:f>Sheet1!$A$2:$A$3</c:f><c:strCache><c:ptCount val="2"/>${points(['Q1', 'Q2'])}</c:strCache></c:strRef></c:cat>`;
  const series = (name: string, values: number[]) =>
    `<c:ser><c:tx><c:strRef><c:f>Sheet1!$B$1</c:f><c:strCache>${points([name])}</c:strCache></c:strRef></c:tx>${cat}<c:val><c:numRef><c:f>Sheet1!$B$2</c:f><c:numCache><c:formatCode>General</c:formatCode>${points(values)}</c:numCache></c:numRef></c:val></c:ser>`;
  const chart = xml(
    `<c:chartSpace ${names}><c:chart><c:title><c:tx><c:rich>${said('Sales')}</c:rich></c:tx></c:title><c:plotArea><c:barChart>${series('North', [4.3, 2])}${series('South', [7, 8])}</c:barChart></c:plotArea></c:chart></c:chartSpace>`,
  );
  const drawing = xml(
    `<dgm:dataModel ${names}><dgm:ptLst><dgm:pt><dgm:t>${said('Plan')}</dgm:t></dgm:pt><dgm:pt><dgm:t>${said('Build')}</dgm:t></dgm:pt></dgm:ptLst></dgm:dataModel>`,
  );
  const related = (...targets: [id: string, type: string, target: string][]) =>
    xml(
      `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${targets.map(([id, type, target]) => `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`).join('')}</Relationships>`,
    );
  return Buffer.from(
    zipSync({
      'ppt/presentation.xml': xml(
        `<p:presentation ${names}><p:sldIdLst><p:sldId id="258" r:id="rId9"/><p:sldId id="256" r:id="rId7"/></p:sldIdLst></p:presentation>`,
      ),
      'ppt/_rels/presentation.xml.rels': related(
        ['rId7', 'slide', 'slides/slide1.xml'],
        ['rId9', 'slide', 'slides/slide2.xml'],
      ),
      'ppt/slides/slide1.xml': slide('Thank you'),
      'ppt/slides/slide2.xml': slide('Our numbers'),
      'ppt/slides/_rels/slide2.xml.rels': related(
        ['rId1', 'notesSlide', '../notesSlides/notesSlide1.xml'],
        ['rId2', 'chart', '../charts/chart4.xml'],
        ['rId3', 'diagramData', '../diagrams/data3.xml'],
        ['rId4', 'image', '../media/image1.png'],
      ),
      'ppt/notesSlides/notesSlide1.xml': notes('Say it slowly'),
      'ppt/charts/chart4.xml': chart,
      'ppt/diagrams/data3.xml': drawing,
    }),
  );
}

export function odt(text: string): Buffer {
  const content = xml(
    `<office:document-content xmlns:office="o" xmlns:text="t"><office:body><office:text><text:h>${text}</text:h></office:text></office:body></office:document-content>`,
  );
  return Buffer.from(
    zipSync({ mimetype: Buffer.from('application/vnd.oasis.opendocument.text'), 'content.xml': content }),
  );
}

/** @param packed what is drawn on its one page, deflated */
export const packedPdf = (packed: Buffer): Buffer =>
  pdfOf([`<< /Length ${packed.length} /Filter /FlateDecode >>\nstream\n${packed.toString('latin1')}\nendstream`]);

/** A page a text; '' is a page with nothing but a drawing. */
export const pdf = (pages: string[]): Buffer =>
  pdfOf(
    pages.map((text) => {
      const stream = text === '' ? '10 10 100 100 re f' : `BT /F1 12 Tf 72 720 Td (${text}) Tj ET`;
      return `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`;
    }),
  );

/** @param pages what is drawn on each, as an object */
function pdfOf(pages: string[]): Buffer {
  const objects: string[] = [];
  const kids = pages.map((_page, index) => `${4 + index * 2} 0 R`).join(' ');
  objects[1] = '<< /Type /Catalog /Pages 2 0 R >>';
  objects[2] = `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`;
  objects[3] = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>';
  for (const [index, page] of pages.entries()) {
    objects[4 + index * 2] =
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${5 + index * 2} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`;
    objects[5 + index * 2] = page;
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
