/** Answers as a terminal shows them: the Markdown itself, paths of files, numbered buttons. Pure. */
import type { OutboundMessage } from '../channel.ts';

// Escape sequences in a model's text could rewrite what the person has seen.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

export function renderTerminal(message: OutboundMessage): { text: string; buttons: { label: string; id: string }[] } {
  const buttons = (message.buttons ?? []).flat().map(({ id, label }) => ({ id, label }));
  const lines = message.text === '' ? [] : [`viber> ${message.text.replace(CONTROL, '')}`];
  for (const file of message.files) lines.push(`  file: ${file.path}  (${file.name.replace(CONTROL, '')})`);
  if (buttons.length > 0) lines.push(`  ${buttons.map((button, n) => `[!${n + 1} ${button.label}]`).join(' ')}`);
  return { text: lines.join('\n'), buttons };
}

/** `  … create_artifact notes.md`: one line of progress. */
export function toolLine(tool: string, args: unknown): string {
  const title =
    typeof args === 'object' && args !== null
      ? Object.entries(args).find(
          ([key, value]) => ['title', 'path', 'id'].includes(key) && typeof value === 'string',
        )?.[1]
      : undefined;
  return `  … ${tool}${title === undefined ? '' : ` ${String(title).slice(0, 60)}`}`.replace(CONTROL, '');
}
