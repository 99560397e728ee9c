/**
 * Builds the forms a text part can take, best first, and its buttons.
 * https://docs.slack.dev/reference/block-kit/blocks/
 */
import type { Button } from '../../channel.ts';
import { tidyLine } from '../../shared/read.ts';
import type { SlackPart } from './render.ts';

export interface Form {
  text: string;
  blocks: object[];
  /** False: every character of the text is shown literally. */
  mrkdwn?: false;
}

const ROW = 5;
const MAX_ELEMENTS = 25;
/** The most rows of buttons among the 50 blocks of a message; the others are its text. */
const MAX_ROWS = 5;
const LABEL = 75;

/**
 * Returns a markdown block, then sections of mrkdwn, then text alone without the buttons, then text without any of
 * Slack's marks: what Slack refuses in one form it may accept in the next.
 */
export function formsOf(part: SlackPart, buttons: readonly (readonly Button[])[]): Form[] {
  const rows = buttonBlocks(buttons);
  const sections = part.sections.map((text) => ({ type: 'section', text: { type: 'mrkdwn', text, verbatim: true } }));
  return [
    { text: part.mrkdwn, blocks: [{ type: 'markdown', text: part.markdown }, ...rows] },
    { text: part.mrkdwn, blocks: [...sections, ...rows] },
    { text: part.sections.join('\n'), blocks: [] },
    { text: withoutLinks(part.sections.join('\n')), blocks: [], mrkdwn: false },
  ];
}

const withoutLinks = (text: string): string =>
  text.replace(/<([^<>|]*)\|([^<>]*)>/g, '$2 ($1)').replace(/<([^<>]*)>/g, '$1');

/**
 * Returns the rows as given, at most five buttons each; if there are too many rows, blocks with as many buttons as one
 * may hold.
 */
export function buttonBlocks(buttons: readonly (readonly Button[])[]): object[] {
  const rows = buttons.flatMap((row) => chunks(row, ROW));
  const fitting = rows.length <= MAX_ROWS ? rows : chunks(rows.flat(), MAX_ELEMENTS).slice(0, MAX_ROWS);
  return fitting.map((row) => ({ type: 'actions', elements: row.map(buttonOf) }));
}

function buttonOf({ id, label }: Button): object {
  const text = tidyLine(label, LABEL) || '-';
  return { type: 'button', action_id: id, text: { type: 'plain_text', text, emoji: false } };
}

function chunks<T>(items: readonly T[], size: number): T[][] {
  const parts: T[][] = [];
  for (let at = 0; at < items.length; at += size) parts.push(items.slice(at, at + size));
  return parts;
}
