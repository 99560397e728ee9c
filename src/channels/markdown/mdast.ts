/**
 * Turns the Markdown library's syntax tree into our own blocks. Recursion is bounded: `chunks` rejects deeply nested
 * source. HTML is text here, never markup; `<br>` is a break.
 */
import type { fromMarkdown } from 'mdast-util-from-markdown';
import { type Block, codeBlock, type ListItem } from './block.ts';
import { hiddenTarget, safeLink } from './link.ts';
import { append, cover, type Inline, plainInline, type SpanFormat } from './rich.ts';

export type Root = ReturnType<typeof fromMarkdown>;
type Node = Root['children'][number];
type Item = Extract<Node, { type: 'listItem' }>;
type Definitions = ReadonlyMap<string, string>;

/** Returns the blocks of one tree. Footnotes are separate because they belong at the end of the whole document. */
export function blocksOf(root: Root): { blocks: Block[]; footnotes: Block[] } {
  const definitions = new Map<string, string>();
  const footnotes: Block[] = [];
  collect(root.children, definitions, footnotes);
  return { blocks: blocksFrom(root.children, definitions), footnotes };
}

function collect(nodes: readonly Node[], definitions: Map<string, string>, footnotes: Block[]): void {
  // A reference may come before its definition, so the definitions of the whole tree are read first.
  const notes: Extract<Node, { type: 'footnoteDefinition' }>[] = [];
  const visit = (node: Node): void => {
    if (node.type === 'definition' && !definitions.has(node.identifier)) definitions.set(node.identifier, node.url);
    if (node.type === 'footnoteDefinition') notes.push(node);
    if (
      node.type === 'blockquote' ||
      node.type === 'list' ||
      node.type === 'listItem' ||
      node.type === 'footnoteDefinition'
    ) {
      node.children.forEach(visit);
    }
  };
  nodes.forEach(visit);
  for (const note of notes) {
    const mark = plainInline(`[${note.label ?? note.identifier}] `);
    const [first, ...rest] = blocksFrom(note.children, definitions);
    if (first?.type === 'paragraph') {
      append(mark, first.inline);
      footnotes.push({ type: 'paragraph', inline: mark }, ...rest);
    } else {
      footnotes.push({ type: 'paragraph', inline: mark }, ...(first === undefined ? [] : [first]), ...rest);
    }
  }
}

function blocksFrom(nodes: readonly Node[], definitions: Definitions): Block[] {
  return nodes.flatMap((node) => blockOf(node, definitions));
}

function blockOf(node: Node, definitions: Definitions): Block[] {
  switch (node.type) {
    case 'paragraph':
    case 'heading': {
      const inline = inlineOf(node.children, definitions);
      if (inline.text.trim() === '') return [];
      return [node.type === 'heading' ? { type: 'heading', level: node.depth, inline } : { type: 'paragraph', inline }];
    }
    case 'code':
      return node.value.trim() === '' ? [] : [codeBlock(node.value, node.lang)];
    case 'blockquote': {
      const blocks = blocksFrom(node.children, definitions);
      return blocks.length === 0 ? [] : [{ type: 'quote', blocks }];
    }
    case 'thematicBreak':
      return [{ type: 'rule' }];
    case 'html':
      return [{ type: 'paragraph', inline: plainInline(node.value) }];
    case 'list': {
      const items = node.children.map((item) => listItemFrom(item, definitions));
      return [
        { type: 'list', ordered: node.ordered === true, start: node.start ?? 1, loose: node.spread === true, items },
      ];
    }
    case 'table': {
      const rows = node.children.map((row) => row.children.map((cell) => inlineOf(cell.children, definitions)));
      if (rows.every((row) => row.every((cell) => cell.text.trim() === ''))) return [];
      return [{ type: 'table', align: (node.align ?? []).map((align) => align ?? undefined), rows }];
    }
    default:
      return [];
  }
}

function listItemFrom(item: Item, definitions: Definitions): ListItem {
  const plain = { loose: item.spread === true, blocks: blocksFrom(item.children, definitions) };
  return typeof item.checked === 'boolean' ? { ...plain, checked: item.checked } : plain;
}

function inlineOf(nodes: readonly Node[], definitions: Definitions): Inline {
  const out = plainInline('');
  appendNodes(out, nodes, definitions);
  return out;
}

function appendNodes(out: Inline, nodes: readonly Node[], definitions: Definitions): void {
  const within = (format: SpanFormat, children: readonly Node[]): void =>
    cover(out, format, () => appendNodes(out, children, definitions));
  for (const [index, node] of nodes.entries()) {
    switch (node.type) {
      case 'text':
      case 'html':
        // The source line may end where `<br>` has already ended it.
        out.text += nodes[index - 1]?.type === 'break' ? node.value.replace(/^[ \t]*\n?[ \t]*/, '') : node.value;
        break;
      case 'break':
        out.text += '\n';
        break;
      case 'inlineCode':
        cover(out, { kind: 'code' }, () => {
          out.text += node.value;
        });
        break;
      case 'emphasis':
        within({ kind: 'italic' }, node.children);
        break;
      case 'strong':
        within({ kind: 'bold' }, node.children);
        break;
      case 'delete':
        within({ kind: 'strike' }, node.children);
        break;
      case 'footnoteReference':
        out.text += `[${node.label ?? node.identifier}]`;
        break;
      case 'link':
        writeLink(out, inlineOf(node.children, definitions), node.url);
        break;
      case 'linkReference':
        writeLink(out, inlineOf(node.children, definitions), definitions.get(node.identifier) ?? '');
        break;
      case 'image':
        writePicture(out, node.alt ?? '', node.url);
        break;
      case 'imageReference':
        writePicture(out, node.alt ?? '', definitions.get(node.identifier) ?? '');
        break;
      default:
        break;
    }
  }
}

/**
 * Writes a picture as its alt text and visible URL, whatever its host: a platform that fetched the URL would reveal its
 * contents to that host.
 */
function writePicture(out: Inline, alt: string, raw: string): void {
  const link = safeLink(raw);
  if (link === undefined) {
    writeLink(out, plainInline(alt), raw);
    return;
  }
  if (alt.trim() !== '') out.text += `${alt.trim()}: `;
  cover(out, { kind: 'link', url: link.url }, () => {
    out.text += link.url;
  });
}

/** Writes a link. A link that must not be followed becomes its label; a misleading label is followed by the target. */
function writeLink(out: Inline, label: Inline, raw: string): void {
  const link = safeLink(raw);
  const shown = label.text.trim() === '' ? plainInline(raw) : label;
  if (link === undefined) {
    append(out, shown);
    return;
  }
  cover(out, { kind: 'link', url: link.url }, () => append(out, shown));
  const hidden = hiddenTarget(shown.text, link);
  if (hidden !== undefined) out.text += ` (${hidden})`;
}
