/** What a reader of plain CommonMark and GFM, single tildes included, makes of the markdown block: Slack's may be no kinder. */
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { describe, expect, test } from 'vitest';
import { renderSlack } from '../../../src/channels/slack/send/render.ts';

const INVISIBLE = /[\u2060\u200b]/g;

type Node = ReturnType<typeof fromMarkdown> | ReturnType<typeof fromMarkdown>['children'][number];

/** The text, and each formatted run as `kind text`. */
function read(markdown: string): string[] {
  const runs: string[] = [];
  const visit = (node: Node): string => {
    const text = 'value' in node ? node.value : 'children' in node ? node.children.map(visit).join('') : '';
    if (['strong', 'emphasis', 'delete'].includes(node.type)) runs.push(`${node.type} ${text}`);
    return node.type === 'break' ? '\n' : text;
  };
  const all = visit(fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] }));
  return [all, ...runs].map((text) => text.replace(INVISIBLE, ''));
}

describe('the markdown block in strange hands', () => {
  test.each<[string, string[]]>([
    ['**「重要」**です', ['「重要」です', 'strong 「重要」']],
    ['これは**テスト（test）**は', ['これはテスト（test）は', 'strong テスト（test）']],
    ['**重要：**次', ['重要：次', 'strong 重要：']],
    ['这是**“重点”**内容', ['这是“重点”内容', 'strong “重点”']],
    ['**이 용어(This term)**를', ['이 용어(This term)를', 'strong 이 용어(This term)']],
    ['~~（旧）~~新', ['（旧）新', 'delete （旧）']],
    ['5~10 min or 20~30 min', ['5~10 min or 20~30 min']],
    ['H~2~O, ~/path and ~x~, 10時~12時、13時~17時', ['H~2~O, ~/path and ~x~, 10時~12時、13時~17時']],
    ['a<br>b', ['a\nb']],
  ])('%s', async (source, expected) => {
    const [part] = await renderSlack(source);
    expect(read(part?.markdown ?? '')).toEqual(expected);
  });

  test('in mrkdwn a mark beside a letter is held apart from it, and a range has no marks', async () => {
    const [part] = await renderSlack('**「重要」**です。5~10分か20~30分、10時~12時');
    expect(part?.mrkdwn.replaceAll('\u200b', '¦').replaceAll('\u2060', '·')).toBe(
      '*「重要」*¦です。5~10分か20~30分、10時·~·12時',
    );
  });
});
