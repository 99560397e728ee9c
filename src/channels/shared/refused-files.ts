/** What a person is told about files that a platform did not take: which, why, and how to get them all the same. */
import { oneLine } from './read.ts';

/**
 * `rights`: the bot may send no files in this place. `scope`: the app may send none anywhere. `policy`: nobody may. `size`: it
 * is too large. `gone`: it cannot be read any more. `file`: the platform does not take this one.
 */
export const WHY_REFUSED = ['rights', 'scope', 'policy', 'size', 'gone', 'file'] as const;
export type WhyRefused = (typeof WHY_REFUSED)[number];

export interface RefusedFile {
  name: string;
  why: WhyRefused;
}

/** What goes on after "I could not attach a.txt here: ". `it` is it or them, `get` the command that sends the files. */
type Reason = (words: { it: string; get: string }) => string;

export interface RefusalWords {
  platform: string;
  /** The command that sends a file: `/get`. */
  get: string;
  /** What the platform has to say for itself. */
  reasons: Partial<Record<WhyRefused, Reason>>;
}

const MAX_NAMES = 5;

/** A sentence or two for each reason. `shown` writes a name or a command, so that none of its characters is a mark. */
export function refusalNotice(
  refused: readonly RefusedFile[],
  words: RefusalWords,
  shown: (text: string) => string,
): string {
  const reasons = [...new Set(refused.map(({ why }) => why))];
  return reasons
    .map((why) => {
      const names = refused.filter((file) => file.why === why).map(({ name }) => oneLine(name, 80) || 'a file');
      const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
      const [only = ''] = names;
      // A name with blanks is no argument of a command; without one it offers the files as buttons.
      const argument = names.length > 1 ? ' all' : /\s/.test(only) ? '' : ` ${only}`;
      const reason = words.reasons[why] ?? common(words.platform)[why];
      const said = reason({ it: names.length > 1 ? 'them' : 'it', get: shown(words.get + argument) });
      return `I could not attach ${names.slice(0, MAX_NAMES).map(shown).join(', ')}${more} here: ${said}`;
    })
    .join('\n\n');
}

const common = (platform: string): Record<WhyRefused, Reason> => ({
  rights: ({ it, get }) => `I may not send files in this place. Ask for ${it} in a private chat with ${get}.`,
  scope: ({ it, get }) => `I may not send files on ${platform}. Once I may, ask for ${it} with ${get}.`,
  policy: ({ it, get }) => `${platform} takes no files here. Once it does, ask for ${it} with ${get}.`,
  size: ({ it }) => `this is more than ${platform} takes. Ask me to make ${it} smaller, or to send parts.`,
  gone: ({ it }) => `I can no longer read ${it}. Ask me to make ${it} again.`,
  file: ({ it, get }) => `${platform} did not take ${it}. Try ${get}, or ask me for another format.`,
});

/** The command and the name as code, which every Markdown shows as it is. */
export function asCode(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}
