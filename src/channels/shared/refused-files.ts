/** Explains to a person which files a platform refused, why, and how to get them anyway. */
import { type Messages, say, type Wording } from '../../messages/messages.ts';
import { tidyLine } from './read.ts';

/**
 * `rights`: the bot may not send files in this place. `scope`: the app may not send any anywhere. `policy`: nobody may.
 * `size`: the file is too large. `gone`: it can't be read any more. `file`: the platform doesn't accept this one.
 */
export const WHY_REFUSED = ['rights', 'scope', 'policy', 'size', 'gone', 'file'] as const;
export type WhyRefused = (typeof WHY_REFUSED)[number];

export interface RefusedFile {
  name: string;
  why: WhyRefused;
}

/** Ends the sentence "I could not attach a.txt here: ". `n` counts the files; `get` is the command that sends them. */
type Reason = (files: { n: number; get: string }) => Wording;

export interface RefusalWords {
  platform: string;
  /** The command that sends a file: `/get`. */
  get: string;
  /** The platform's own wording of some reasons. */
  reasons: Partial<Record<WhyRefused, Reason>>;
}

const MAX_NAMES = 5;

/**
 * Returns one or two sentences for each reason. `shown` escapes a name or a command, so that none of its characters is
 * markup.
 * @example
 * const words = { platform: 'Chat', get: '/artifacts get', reasons: {} };
 * const notice = refusalNotice([{ name: 'a.pdf', why: 'size' }], words, (text) => text, messagesFor({ language: 'en' }));
 */
export function refusalNotice(
  refused: readonly RefusedFile[],
  words: RefusalWords,
  shown: (text: string) => string,
  messages: Messages,
): string {
  const reasons = [...new Set(refused.map(({ why }) => why))];
  return reasons
    .map((why) => {
      const names = refused
        .filter((file) => file.why === why)
        .map(({ name }) => tidyLine(name, 80) || messages.text('live.aFile'));
      const [only = ''] = names;
      // A name with blanks can't be a command's argument; without one, the command offers the files as buttons.
      const argument = names.length > 1 ? ' all' : /\s/.test(only) ? '' : ` ${only}`;
      const reason = words.reasons[why] ?? common(words.platform)[why];
      const listed = names.slice(0, MAX_NAMES).map(shown).join(', ');
      const rest = names.length - MAX_NAMES;
      const files = rest > 0 ? messages.text('channels.andMore', { files: listed, n: rest }) : listed;
      const sentence = reason({ n: names.length, get: shown(words.get + argument) });
      return messages.text('channels.notAttached', { files, why: sentence });
    })
    .join('\n\n');
}

const common = (platform: string): Record<WhyRefused, Reason> => ({
  rights: (files) => say('channels.rights', files),
  scope: (files) => say('channels.scope', { platform, ...files }),
  policy: (files) => say('channels.policy', { platform, ...files }),
  size: ({ n }) => say('channels.size', { platform, n }),
  gone: ({ n }) => say('channels.gone', { n }),
  file: (files) => say('channels.file', { platform, ...files }),
});

/** Wraps the text as code, which every Markdown dialect shows literally. */
export function asCode(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}
