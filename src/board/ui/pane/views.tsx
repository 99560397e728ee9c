/** How each kind of file looks. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { ArtifactBytes } from '../net/artifact.ts';
import { saveFile } from '../net/artifact.ts';
import { coloured } from '../parts/colours.ts';
import { Button, Empty, Loading } from '../parts/common.tsx';
import { codeLanguage, kindOf } from '../parts/file-kind.ts';
import { Markdown } from '../parts/markdown.tsx';
import { isWide } from '../parts/wide.ts';
import { words } from '../words.ts';
import { readCsv } from './csv.ts';
import { type DiffFile, type DiffLine, type DiffRow, readDiff } from './diff-rows.ts';

/** More would hold up the page; the file can be saved. */
const [MAX_TEXT, MAX_MARKDOWN, MAX_ROWS, MAX_COLUMNS] = [2_000_000, 300_000, 1_000, 60];
const MAX_DRAWING = 5_000_000;

export function FileView({ file, isSource }: { file: ArtifactBytes; isSource: boolean }): JSX.Element {
  const kind = kindOf(file.name, file.type);
  switch (kind) {
    case 'picture':
    case 'sound':
    case 'film':
      return <Media file={file} kind={kind} />;
    case 'drawing':
      return <Drawing file={file} />;
    case 'pdf':
      return <Pdf file={file} />;
    case 'other':
      return <Unseen file={file} />;
    default:
      return file.bytes.size > MAX_TEXT ? (
        <Unseen file={file} title={words.task.tooLarge} />
      ) : (
        <FileText file={file} kind={isSource ? 'code' : kind} />
      );
  }
}

function Unseen({ file, title = words.pane.unseen }: { file: ArtifactBytes; title?: string }): JSX.Element {
  return (
    <Empty icon="files" title={title}>
      <Button icon="download" onClick={() => saveFile(file.name, file.bytes)}>
        {words.task.download(file.name)}
      </Button>
    </Empty>
  );
}

/** The address of bytes of this type, as long as they are shown. */
function useAddress(bytes: Blob, type: string): string | undefined {
  const url = useSignal<string | undefined>(undefined);
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([bytes], { type }));
    url.value = made;
    return () => URL.revokeObjectURL(made);
  }, [bytes, type, url]);
  return url.value;
}

function Media({ file, kind }: { file: ArtifactBytes; kind: 'picture' | 'sound' | 'film' }): JSX.Element {
  const url = useAddress(file.bytes, file.type);
  if (url === undefined) return <Loading rows={3} />;
  if (kind === 'picture') return <img class="pane-picture" src={url} alt={file.name} />;
  // biome-ignore lint/a11y/useMediaCaption: what people record has no captions
  if (kind === 'sound') return <audio class="pane-sound" src={url} controls aria-label={file.name} />;
  // biome-ignore lint/a11y/useMediaCaption: what people record has no captions
  return <video class="pane-picture" src={url} controls aria-label={file.name} />;
}

/**
 * An SVG in an image runs no script and loads nothing. Its address is data, which has no origin, even if somebody opens
 * the picture in a tab of its own.
 */
function Drawing({ file }: { file: ArtifactBytes }): JSX.Element {
  const url = useSignal<string | undefined>(undefined);
  useEffect(() => {
    if (file.bytes.size > MAX_DRAWING) return;
    void file.bytes.text().then((text) => (url.value = `data:image/svg+xml,${encodeURIComponent(text)}`));
  }, [file, url]);
  if (file.bytes.size > MAX_DRAWING) return <Unseen file={file} title={words.task.tooLarge} />;
  return url.value === undefined ? <Loading rows={3} /> : <img class="pane-picture" src={url.value} alt={file.name} />;
}

/**
 * A PDF in the browser's own viewer, which is no part of this page: what the file contains can't reach it. Bytes that
 * aren't a PDF are only saved.
 */
function Pdf({ file }: { file: ArtifactBytes }): JSX.Element {
  const isPdf = useSignal<boolean | undefined>(undefined);
  const url = useAddress(file.bytes, 'application/pdf');
  useEffect(() => {
    void file.bytes
      .slice(0, 5)
      .text()
      .then((head) => (isPdf.value = head === '%PDF-' && navigator.pdfViewerEnabled));
  }, [file, isPdf]);
  if (isPdf.value === false) return <Unseen file={file} />;
  if (isPdf.value === undefined || url === undefined) return <Loading rows={4} />;
  return <iframe class="pane-pdf" src={url} title={file.name} />;
}

type TextKind = Exclude<ReturnType<typeof kindOf>, 'picture' | 'sound' | 'film' | 'drawing' | 'pdf' | 'other'>;

function FileText({ file, kind }: { file: ArtifactBytes; kind: TextKind }): JSX.Element {
  const text = useSignal<string | undefined>(undefined);
  useEffect(() => {
    void file.bytes.text().then((read) => (text.value = read));
  }, [file, text]);
  const now = text.value;
  if (now === undefined) return <Loading rows={6} />;
  if (kind === 'markdown' && now.length <= MAX_MARKDOWN) return <Markdown text={now} />;
  if (kind === 'table') return <Rows text={now} />;
  if (kind === 'diff') return <Diff text={now} />;
  return <Source text={now} language={codeLanguage(file.name, file.type) ?? ''} />;
}

function Source({ text, language }: { text: string; language: string }): JSX.Element {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
    <pre class="pane-code" tabIndex={0}>
      <code>{coloured(text, language)}</code>
    </pre>
  );
}

function Rows({ text }: { text: string }): JSX.Element {
  const { rows, isCut } = useMemo(() => readCsv(text, MAX_ROWS + 1), [text]);
  const [head = [], ...rest] = rows;
  const width = Math.min(MAX_COLUMNS, Math.max(head.length, ...rest.map(({ length }) => length)));
  const columns = Array.from({ length: width }, (_, at) => at);
  const isNumber = columns.map((at) => rest.length > 0 && rest.every((row) => isAmount(row[at] ?? '')));
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
      <section class="table-box pane-table" tabIndex={0} aria-label={words.task.table}>
        <table>
          <thead>
            <tr>
              {columns.map((at) => (
                <th key={at} scope="col" class={isNumber[at] ? 'to-right' : undefined}>
                  {head[at]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rest.slice(0, MAX_ROWS).map((row, index) => (
              <tr key={index}>
                {columns.map((at) => (
                  <td key={at} class={isNumber[at] ? 'to-right' : undefined}>
                    {row[at]}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {isCut && <p class="hint">{words.pane.firstRows(MAX_ROWS)}</p>}
    </>
  );
}

const isAmount = (cell: string): boolean =>
  cell.trim() === '' || /^[-+]?[€$£]?\s?[\d.,'\u202f\u00a0 ]+\s?[%€]?$/.test(cell.trim());

function Diff({ text }: { text: string }): JSX.Element {
  const files = useMemo(() => readDiff(text), [text]);
  if (files === undefined) return <Source text={text} language="diff" />;
  return (
    <>
      {files.map((file, index) => (
        <DiffView key={index} file={file} />
      ))}
    </>
  );
}

function DiffView({ file: { name, hunks } }: { file: DiffFile }): JSX.Element {
  const Rows = isWide.value ? BesideRows : BelowRows;
  return (
    <figure class="diff">
      <figcaption>{name}</figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
      <section class="diff-box" tabIndex={0} aria-label={name}>
        <table class={isWide.value ? 'diff-beside' : undefined}>
          {hunks.map((rows, index) => (
            <tbody key={index}>
              <Rows rows={rows} />
            </tbody>
          ))}
        </table>
      </section>
    </figure>
  );
}

const MARKS = { same: ' ', old: '−', new: '+' } as const;

const diffCells = (line: DiffLine | undefined): ComponentChildren => [
  <td key="at" class="diff-at">
    {line?.at}
  </td>,
  <td key="text" class={`diff-${line?.kind ?? 'none'}`}>
    {line !== undefined && (
      <>
        <span class="diff-mark">{MARKS[line.kind]}</span>
        {line.text}
      </>
    )}
  </td>,
];

const BesideRows = ({ rows }: { rows: readonly DiffRow[] }): JSX.Element => (
  <>
    {rows.map((row, index) => (
      <tr key={index}>
        {diffCells(row.old)}
        {diffCells(row.new)}
      </tr>
    ))}
  </>
);

const BelowRows = ({ rows }: { rows: readonly DiffRow[] }): JSX.Element => (
  <>
    {oneBelowOther(rows).map((line, index) => (
      <tr key={index}>{diffCells(line)}</tr>
    ))}
  </>
);

/** Removed lines before the added ones of the same place. */
function oneBelowOther(rows: readonly DiffRow[]): DiffLine[] {
  const lines: DiffLine[] = [];
  let added: DiffLine[] = [];
  for (const { old, new: other } of rows) {
    if (old?.kind === 'same' || (old === undefined && other === undefined)) {
      lines.push(...added, ...(old ? [old] : []));
      added = [];
      continue;
    }
    if (old) lines.push(old);
    if (other) added.push(other);
  }
  return [...lines, ...added];
}
