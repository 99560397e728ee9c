/** Finds the fenced code blocks of a Markdown text that a shell can run. */

export type Shell = 'sh' | 'bash';

export interface Block {
  shell: Shell;
  text: string;
}

/** Returns blocks marked `sh` or `bash`, in order, each ending in a line feed. An unclosed fence ends with the text. */
export function shellBlocks(markdown: string): Block[] {
  const blocks: Block[] = [];
  let open: { mark: string; indent: number; shell: Shell | undefined; lines: string[] } | undefined;
  const close = () => {
    if (open?.shell) blocks.push({ shell: open.shell, text: `${open.lines.join('\n')}\n` });
    open = undefined;
  };
  for (const line of markdown.split('\n')) {
    if (open) {
      const [, mark] = /^\s*(`{3,}|~{3,})\s*$/.exec(line) ?? [];
      if (mark?.startsWith(open.mark)) close();
      else open.lines.push(line.replace(new RegExp(`^ {0,${open.indent}}`), ''));
      continue;
    }
    // Blocks in lists are indented with their item.
    const [, space = '', mark, info = ''] = /^(\s*)(`{3,}|~{3,})\s*(.*)$/.exec(line) ?? [];
    if (mark === undefined || (mark.startsWith('`') && info.includes('`'))) continue;
    const language = info.split(/[\s{]/, 1)[0]?.toLowerCase();
    const shell = language === 'sh' || language === 'bash' ? language : undefined;
    open = { mark, indent: space.length, shell, lines: [] };
  }
  close();
  return blocks;
}
