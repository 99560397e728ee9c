/**
 * Renders Markdown as DOM nodes, from the blocks that the channels use, and never as an HTML string. The parser has
 * checked the links; until it is loaded, the source is shown.
 */
import { signal } from '@preact/signals';
import { type ComponentChildren, Fragment, type JSX } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import type { Block } from '../../../channels/markdown/block.ts';
import {
  loadMarkdown,
  type MarkdownDocument,
  type MarkdownParser,
  plainRich,
} from '../../../channels/markdown/parse.ts';
import type { Inline, Span } from '../../../channels/markdown/rich.ts';
import { words } from '../words.ts';
import { coloured } from './colours.ts';
import { Button } from './common.tsx';
import { settledEnd } from './growing.ts';
import { announce } from './notices.tsx';

const parser = signal<MarkdownParser | undefined>(undefined);
let asked = false;

export function wantMarkdown(): void {
  if (asked) return;
  asked = true;
  void loadMarkdown().then((loaded) => {
    parser.value = loaded;
  });
}

const MAX_KEPT = 200;
const kept = new Map<string, MarkdownDocument>();

function parseOnce(parse: MarkdownParser, source: string): MarkdownDocument {
  const known = kept.get(source);
  if (known !== undefined) return known;
  const made = parse(source);
  kept.set(source, made);
  const [oldest] = kept.keys();
  if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
  return made;
}

export function Markdown({ text, growing = false }: { text: string; growing?: boolean }): JSX.Element {
  const plain = useMemo(() => plainRich(text), [text]);
  const parse = parser.value;
  if (plain === undefined) wantMarkdown();
  if (plain !== undefined || parse === undefined) return <div class="md">{paragraphs(plain?.text ?? text)}</div>;
  if (growing) return <Growing text={text} parse={parse} />;
  return <div class="md">{blocksOf(parseOnce(parse, text).blocks)}</div>;
}

/** Parses and renders only what may still change, once for each state of the text. */
function Growing({ text, parse }: { text: string; parse: MarkdownParser }): JSX.Element {
  const settled = useRef<{ source: string; shown: JSX.Element[] }>({ source: '', shown: [] });
  const source = text.slice(0, settledEnd(text));
  const before = settled.current;
  if (source !== before.source) {
    const isMore = source.startsWith(before.source);
    const blocks = parse(isMore ? source.slice(before.source.length) : source).blocks;
    // The same elements again: they are not even compared.
    const part = <Fragment key={source.length}>{blocksOf(blocks)}</Fragment>;
    settled.current = { source, shown: isMore ? [...before.shown, part] : [part] };
  }
  const { blocks } = parse(text.slice(source.length));
  return (
    <div class="md">
      {settled.current.shown}
      <Fragment key="rest">{blocksOf(blocks)}</Fragment>
    </div>
  );
}

const paragraphs = (text: string): JSX.Element[] =>
  text.split(/\n{2,}/).map((part, index) => <p key={index}>{lines(part)}</p>);

function lines(text: string): ComponentChildren {
  const all = text.split('\n');
  return all.length === 1
    ? text
    : all.flatMap((line, index) => (index === 0 ? [line] : [<br key={`br${index}`} />, line]));
}

const blocksOf = (blocks: readonly Block[]): ComponentChildren =>
  blocks.map((block, index) => <BlockView key={index} block={block} />);

function BlockView({ block }: { block: Block }): JSX.Element {
  switch (block.type) {
    case 'paragraph':
      return <p>{inline(block.inline)}</p>;
    case 'heading': {
      // The page's own headings have levels 1 and 2.
      const Level = block.level <= 2 ? 'h3' : 'h4';
      return <Level>{inline(block.inline)}</Level>;
    }
    case 'code':
      return <Code text={block.text} language={block.language ?? ''} />;
    case 'quote':
      return <blockquote>{blocksOf(block.blocks)}</blockquote>;
    case 'rule':
      return <hr />;
    case 'table':
      return <Table rows={block.rows} align={block.align} />;
    case 'list': {
      const items = block.items.map((item, index) => {
        const only = item.blocks.length === 1 && item.blocks[0]?.type === 'paragraph' ? item.blocks[0] : undefined;
        return (
          <li key={index} class={item.checked === undefined ? undefined : 'box'}>
            {item.checked !== undefined && (
              <span class={`tick${item.checked ? ' on' : ''}`} role="img" aria-label={item.checked ? '☑' : '☐'} />
            )}
            {only === undefined ? <div>{blocksOf(item.blocks)}</div> : <span>{inline(only.inline)}</span>}
          </li>
        );
      });
      return block.ordered ? <ol start={block.start}>{items}</ol> : <ul>{items}</ul>;
    }
  }
}

function Table({ rows, align }: Pick<Extract<Block, { type: 'table' }>, 'rows' | 'align'>): JSX.Element {
  const [head, ...rest] = rows;
  const cell = (index: number) => (align[index] === undefined ? undefined : `to-${align[index]}`);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
    <section class="table-box" tabIndex={0} aria-label={words.task.table}>
      <table>
        <thead>
          <tr>
            {head?.map((text, index) => (
              <th key={index} class={cell(index)} scope="col">
                {inline(text)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rest.map((row, at) => (
            <tr key={at}>
              {row.map((text, index) => (
                <td key={index} class={cell(index)}>
                  {inline(text)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Code({ text, language }: { text: string; language: string }): JSX.Element {
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => announce(words.copied),
      () => announce(words.errors.again),
    );
  };
  return (
    <figure class="code">
      <figcaption>
        <span>{words.task.codeOf(language)}</span>
        <Button kind="quiet" small onClick={copy}>
          {words.copy}
        </Button>
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
      <pre tabIndex={0}>
        <code>{coloured(text, language)}</code>
      </pre>
    </figure>
  );
}

/** Renders formatted text as nodes; spans are nested, outer ones first. */
export function inline({ text, spans }: Inline): ComponentChildren {
  let next = 0;
  const build = (from: number, to: number): ComponentChildren[] => {
    const out: ComponentChildren[] = [];
    let at = from;
    for (let span = spans[next]; span !== undefined && span.start < to; span = spans[next]) {
      next += 1;
      if (span.start > at) out.push(lines(text.slice(at, span.start)));
      const start = Math.max(span.start, at);
      const end = Math.min(span.end, to);
      if (end > start) out.push(wrap(span, build(start, end), out.length));
      at = Math.max(at, end);
    }
    if (to > at) out.push(lines(text.slice(at, to)));
    return out;
  };
  return build(0, text.length);
}

function wrap(span: Span, inner: ComponentChildren, key: number): JSX.Element {
  switch (span.kind) {
    case 'bold':
      return <strong key={key}>{inner}</strong>;
    case 'italic':
      return <em key={key}>{inner}</em>;
    case 'strike':
      return <s key={key}>{inner}</s>;
    case 'code':
    case 'pre':
      return <code key={key}>{inner}</code>;
    case 'link':
      return (
        <a key={key} href={span.url} target="_blank" rel="noopener noreferrer nofollow">
          {inner}
        </a>
      );
    default:
      return <span key={key}>{inner}</span>;
  }
}
