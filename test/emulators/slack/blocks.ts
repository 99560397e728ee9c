/** Checks the blocks of a message (docs.slack.dev/reference/block-kit). Refuses them with `invalid_blocks`. */
import { type ApiError, explained } from './errors.ts';
import { checkRichText } from './rich-text.ts';
import { isRecord, type Json } from './state.ts';

const MAX_BLOCKS = 50;
/** The most characters of all markdown blocks of one message. */
const MAX_MARKDOWN = 12_000;
const INTERACTIVE =
  /^(?:button|checkboxes|datepicker|datetimepicker|overflow|radio_buttons|timepicker|(?:multi_)?(?:static|external|users|conversations|channels)_select|workflow_button|feedback_buttons|icon_button)$/;

export function invalidBlocks(path: string, problem: string): ApiError {
  return explained('invalid_blocks', `${problem} [json-pointer:${path}]`);
}

function checkLength(value: unknown, min: number, max: number, path: string): string {
  if (typeof value !== 'string') throw invalidBlocks(path, 'must be a string');
  if (value.length < min) throw invalidBlocks(path, `must be more than ${min - 1} characters`);
  if (value.length > max) throw invalidBlocks(path, `must be less than ${max + 1} characters`);
  return value;
}

function checkText(value: unknown, max: number, path: string, plainOnly = false): void {
  if (!isRecord(value)) throw invalidBlocks(path, 'missing required field: text');
  if (value.type !== 'plain_text' && (plainOnly || value.type !== 'mrkdwn')) {
    throw invalidBlocks(`${path}/type`, `unsupported type: ${String(value.type)}`);
  }
  checkLength(value.text, 1, max, `${path}/text`);
}

function checkElement(element: unknown, path: string, actionIds: Set<string>): void {
  if (!isRecord(element) || typeof element.type !== 'string' || !INTERACTIVE.test(element.type)) {
    throw invalidBlocks(path, 'unsupported element');
  }
  if (element.action_id !== undefined) {
    const id = checkLength(element.action_id, 1, 255, `${path}/action_id`);
    if (actionIds.has(id)) throw invalidBlocks(`${path}/action_id`, `action_id "${id}" already exists`);
    actionIds.add(id);
  }
  if (element.type !== 'button') return;
  checkText(element.text, 75, `${path}/text`, true);
  if (element.value !== undefined) checkLength(element.value, 0, 2000, `${path}/value`);
  if (element.url !== undefined) checkLength(element.url, 1, 3000, `${path}/url`);
  if (element.style !== undefined && element.style !== 'primary' && element.style !== 'danger') {
    throw invalidBlocks(`${path}/style`, 'must be primary or danger');
  }
}

function listOf(value: unknown, max: number, path: string): unknown[] {
  if (!Array.isArray(value) || value.length === 0) throw invalidBlocks(path, 'must not be empty');
  if (value.length > max) throw invalidBlocks(path, `no more than ${max} items allowed`);
  return value;
}

function checkSection(block: Json, path: string): void {
  if (block.text === undefined && block.fields === undefined) throw invalidBlocks(path, 'text or fields is required');
  if (block.text !== undefined) checkText(block.text, 3000, `${path}/text`);
  if (block.fields !== undefined) {
    listOf(block.fields, 10, `${path}/fields`).forEach((field, n) => {
      checkText(field, 2000, `${path}/fields/${n}`);
    });
  }
  if (isRecord(block.accessory) && block.accessory.type !== 'image') {
    checkElement(block.accessory, `${path}/accessory`, new Set());
  }
}

function checkTable(block: Json, path: string): void {
  let characters = 0;
  listOf(block.rows, 100, `${path}/rows`).forEach((row, r) => {
    listOf(row, 20, `${path}/rows/${r}`).forEach((cell, c) => {
      const at = `${path}/rows/${r}/${c}`;
      if (!isRecord(cell)) throw invalidBlocks(at, 'must be an object');
      if (cell.type === 'rich_text') characters += checkRichText(cell, at);
      else if (cell.type === 'raw_text') characters += checkLength(cell.text, 1, 10_000, `${at}/text`).length;
      else throw invalidBlocks(at, `unsupported type: ${String(cell.type)}`);
    });
  });
  if (characters > 10_000) throw invalidBlocks(path, 'table content exceeds 10000 characters');
}

function checkContext(block: Json, path: string): void {
  listOf(block.elements, 10, `${path}/elements`).forEach((element, n) => {
    if (!isRecord(element) || element.type !== 'image') checkText(element, 3000, `${path}/elements/${n}`);
  });
}

function checkActions(block: Json, path: string): void {
  const actionIds = new Set<string>();
  listOf(block.elements, 25, `${path}/elements`).forEach((element, n) => {
    checkElement(element, `${path}/elements/${n}`, actionIds);
  });
}

function checkImage(block: Json, path: string): void {
  checkLength(block.alt_text, 1, 2000, `${path}/alt_text`);
  if (block.slack_file === undefined) checkLength(block.image_url, 1, 3000, `${path}/image_url`);
}

/** Accepted unchecked: nothing here uses them. */
const unchecked = () => undefined;

const CHECKS: Record<string, (block: Json, path: string) => void> = {
  section: checkSection,
  header: (block, path) => checkText(block.text, 150, `${path}/text`, true),
  markdown: (block, path) => void checkLength(block.text, 1, Number.POSITIVE_INFINITY, `${path}/text`),
  rich_text: (block, path) => void checkRichText(block, path),
  table: checkTable,
  context: checkContext,
  actions: checkActions,
  context_actions: checkActions,
  image: checkImage,
  divider: unchecked,
  input: unchecked,
  video: unchecked,
  plan: unchecked,
  task_card: unchecked,
  alert: unchecked,
  card: unchecked,
  carousel: unchecked,
};

/** Slack renders tables in Markdown as tables too. */
function tablesIn(block: Json): number {
  if (block.type === 'table') return 1;
  if (block.type !== 'markdown' || typeof block.text !== 'string') return 0;
  const words = block.text.replace(/^ {0,3}(`{3,}|~{3,})[\s\S]*?^ {0,3}\1/gm, '');
  return words.match(/^.*\|.*\n {0,3}\|?(?: *:?-+:? *\|)+ *(?::?-+:? *)?$/gm)?.length ?? 0;
}

/**
 * Throws ApiError `invalid_blocks_format`, `invalid_blocks` or `msg_blocks_too_long`; returns the blocks with the ids
 * the platform adds.
 */
export function checkBlocks(value: unknown, newId: () => string): Json[] {
  if (!Array.isArray(value)) throw explained('invalid_blocks_format', 'blocks must be an array');
  if (value.length > MAX_BLOCKS) throw invalidBlocks('/blocks', `no more than ${MAX_BLOCKS} items allowed`);
  const ids = new Set<string>();
  let markdown = 0;
  const blocks = value.map((block: unknown, n) => {
    const path = `/blocks/${n}`;
    if (!isRecord(block)) throw invalidBlocks(path, 'must be an object');
    const check = typeof block.type === 'string' && Object.hasOwn(CHECKS, block.type) ? CHECKS[block.type] : undefined;
    if (!check) throw invalidBlocks(path, `unsupported type: ${String(block.type)}`);
    check(block, path);
    if (block.block_id !== undefined) {
      const id = checkLength(block.block_id, 1, 255, `${path}/block_id`);
      if (ids.has(id)) throw invalidBlocks(`${path}/block_id`, `block_id "${id}" already exists`);
      ids.add(id);
    }
    if (block.type === 'markdown' && typeof block.text === 'string') markdown += block.text.length;
    return { ...block, block_id: block.block_id ?? newId() };
  });
  if (value.filter(isRecord).reduce((sum, block) => sum + tablesIn(block), 0) > 1) {
    throw explained('invalid_attachments', 'only_one_table_allowed');
  }
  if (markdown > MAX_MARKDOWN) throw explained('msg_blocks_too_long', 'markdown blocks exceed 12000 characters');
  return blocks;
}
