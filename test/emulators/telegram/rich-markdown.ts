/**
 * Converts rich Markdown to blocks. The platform says that it follows GitHub's Markdown, so GitHub's parser is used
 * here.
 */
import type { RichBlock, RichBlockListItem, RichText } from '@grammyjs/types';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { badRequest } from './errors.ts';

type Root = ReturnType<typeof fromMarkdown>;
type Node = Root | Root['children'][number];
type Table = Extract<Node, { type: 'table' }>;
type List = Extract<Node, { type: 'list' }>;

const STYLES: Record<string, 'bold' | 'italic' | 'strikethrough'> = {
  strong: 'bold',
  emphasis: 'italic',
  delete: 'strikethrough',
};

function plain(node: Node): RichText {
  const style = STYLES[node.type];
  if (style && 'children' in node) return { type: style, text: inline(node) };
  if (node.type === 'inlineCode') return { type: 'code', text: node.value };
  if (node.type === 'link') return { type: 'url', text: inline(node), url: node.url };
  if (node.type === 'break') return '\n';
  if ('value' in node) return node.value;
  return 'children' in node ? inline(node) : '';
}

function inline(node: Extract<Node, { children: unknown }>): RichText {
  const parts = node.children.map((child) => plain(child));
  return parts.length === 1 && parts[0] !== undefined ? parts[0] : parts;
}

function tableBlock(node: Table): RichBlock {
  const cells = node.children.map((row, index) =>
    row.children.map((cell, column) => ({
      text: inline(cell),
      align: node.align?.[column] ?? ('left' as const),
      valign: 'middle' as const,
      ...(index === 0 && { is_header: true as const }),
    })),
  );
  return { type: 'table', cells, is_bordered: true };
}

function listBlock(node: List): RichBlock {
  const items = node.children.map((item, index): RichBlockListItem => {
    const value = (node.start ?? 1) + index;
    return {
      label: node.ordered ? `${value}.` : '•',
      blocks: item.children.flatMap((child) => block(child)),
      ...(typeof item.checked === 'boolean' && { has_checkbox: true as const }),
      ...(item.checked && { is_checked: true as const }),
      ...(node.ordered && { value }),
    };
  });
  return { type: 'list', items };
}

function block(node: Node): RichBlock[] {
  if (node.type === 'heading') return [{ type: 'heading', text: inline(node), size: node.depth }];
  if (node.type === 'code') return [{ type: 'pre', text: node.value, ...(node.lang && { language: node.lang }) }];
  if (node.type === 'thematicBreak') return [{ type: 'divider' }];
  if (node.type === 'blockquote')
    return [{ type: 'blockquote', blocks: node.children.flatMap((child) => block(child)) }];
  if (node.type === 'table') return [tableBlock(node)];
  if (node.type === 'list') return [listBlock(node)];
  if (node.type === 'html') return [{ type: 'paragraph', text: node.value.replaceAll(/<[^>]*>/g, '') }];
  if (node.type === 'paragraph') {
    const [only] = node.children;
    // A media block must be fetched from its address, which an emulator on the loopback interface can't do.
    if (only?.type === 'image' && node.children.length === 1) throw badRequest('failed to get HTTP URL content');
    return [{ type: 'paragraph', text: inline(node) }];
  }
  return [];
}

export function blocksOfMarkdown(source: string): RichBlock[] {
  const tree = fromMarkdown(source, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  return tree.children.flatMap((node) => block(node));
}
