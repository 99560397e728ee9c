/** Rich text: checks that it is well-formed, converts people's text to it, and renders it as text. */
import { explained } from './errors.ts';
import { isRecord, type Json } from './state.ts';

const CONTAINERS = new Set(['rich_text_section', 'rich_text_list', 'rich_text_preformatted', 'rich_text_quote']);
const LEAVES = new Set(['text', 'link', 'emoji', 'user', 'usergroup', 'channel', 'broadcast', 'date', 'color', 'team']);

function refuse(path: string, problem: string): never {
  throw explained('invalid_blocks', `${problem} [json-pointer:${path}]`);
}

function checkLeaf(leaf: unknown, path: string): number {
  if (!isRecord(leaf) || typeof leaf.type !== 'string' || !LEAVES.has(leaf.type)) refuse(path, 'unsupported element');
  if (leaf.type === 'text') {
    if (typeof leaf.text !== 'string' || leaf.text === '') refuse(`${path}/text`, 'must be more than 0 characters');
    return leaf.text.length;
  }
  if (leaf.type === 'link' && (typeof leaf.url !== 'string' || !/^[a-z][\w+.-]*:/i.test(leaf.url))) {
    refuse(`${path}/url`, 'must be a valid URL');
  }
  return typeof leaf.text === 'string' ? leaf.text.length : 1;
}

function checkContainer(value: unknown, path: string): number {
  if (!isRecord(value) || typeof value.type !== 'string' || !CONTAINERS.has(value.type)) {
    refuse(path, 'unsupported element');
  }
  if (!Array.isArray(value.elements)) refuse(`${path}/elements`, 'missing required field: elements');
  const check = value.type === 'rich_text_list' ? checkContainer : checkLeaf;
  if (value.type === 'rich_text_list' && value.style !== 'bullet' && value.style !== 'ordered') {
    refuse(`${path}/style`, 'must be bullet or ordered');
  }
  if (typeof value.indent === 'number' && (value.indent < 0 || value.indent > 8)) {
    refuse(`${path}/indent`, 'must be between 0 and 8');
  }
  return value.elements.reduce((sum: number, each, n) => sum + check(each, `${path}/elements/${n}`), 0);
}

/** Returns the number of characters. Throws ApiError `invalid_blocks`. */
export function checkRichText(block: Json, path: string): number {
  if (!Array.isArray(block.elements)) refuse(`${path}/elements`, 'missing required field: elements');
  return block.elements.reduce((sum: number, each, n) => sum + checkContainer(each, `${path}/elements/${n}`), 0);
}

/** Returns a piece of rich text as plain text. */
export function richTextShown(value: unknown): string {
  if (!isRecord(value)) return '';
  const each = Array.isArray(value.elements) ? value.elements.map(richTextShown) : [];
  switch (value.type) {
    case 'rich_text':
      return each.join('\n');
    case 'rich_text_list':
      return each.map((item, n) => `${value.style === 'ordered' ? `${n + 1}.` : '•'} ${item}`).join('\n');
    case 'rich_text_section':
    case 'rich_text_preformatted':
    case 'rich_text_quote':
      return each.join('');
    case 'text':
      return String(value.text);
    case 'link':
      return String(value.text ?? value.url);
    case 'emoji':
      return `:${value.name}:`;
    case 'user':
      return `@${value.user_id}`;
    case 'usergroup':
      return `@${value.usergroup_id}`;
    case 'channel':
      return `#${value.channel_id}`;
    case 'broadcast':
      return `@${value.range}`;
    default:
      return typeof value.fallback === 'string' ? value.fallback : '';
  }
}

const TOKEN =
  /<(?:@([UW]\w+)(?:\|[^<>]*)?|#(C\w+)(?:\|[^<>]*)?|!(channel|here|everyone)|(https?:[^<>|]+)(?:\|([^<>]*))?)>/g;

/** Returns what people type as clients send it: `&`, `<` and `>` escaped, except in existing mentions and links. */
export function typed(text: string): string {
  let out = '';
  let end = 0;
  const escaped = (part: string) => part.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  for (const match of text.matchAll(TOKEN)) {
    out += escaped(text.slice(end, match.index)) + match[0];
    end = match.index + match[0].length;
  }
  return out + escaped(text.slice(end));
}

/** Returns the rich text that a client sends beside the text. */
export function typedBlocks(text: string, blockId: string): Json[] {
  if (text === '') return [];
  const elements: Json[] = [];
  let end = 0;
  const plain = (part: string) => part !== '' && elements.push({ type: 'text', text: part });
  for (const match of text.matchAll(TOKEN)) {
    plain(text.slice(end, match.index));
    const [all, user, channel, range, url, label] = match;
    if (user) elements.push({ type: 'user', user_id: user });
    else if (channel) elements.push({ type: 'channel', channel_id: channel });
    else if (range) elements.push({ type: 'broadcast', range });
    else elements.push({ type: 'link', url, ...(label && { text: label }) });
    end = match.index + all.length;
  }
  plain(text.slice(end));
  return [{ type: 'rich_text', block_id: blockId, elements: [{ type: 'rich_text_section', elements }] }];
}
