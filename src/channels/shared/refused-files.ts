/** What a person is told about files that a platform did not take: which, why, and how to get them all the same. */
import { type Messages, type Said, say } from '../../messages/messages.ts';
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

/** What goes on after "I could not attach a.txt here: ". `n` counts the files, `get` is the command that sends them. */
type Reason = (files: { n: number; get: string }) => Said;

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
  messages: Messages,
): string {
  const reasons = [...new Set(refused.map(({ why }) => why))];
  return reasons
    .map((why) => {
      const names = refused
        .filter((file) => file.why === why)
        .map(({ name }) => oneLine(name, 80) || messages.text('live.aFile'));
      const [only = ''] = names;
      // A name with blanks is no argument of a command; without one it offers the files as buttons.
      const argument = names.length > 1 ? ' all' : /\s/.test(only) ? '' : ` ${only}`;
      const reason = words.reasons[why] ?? common(words.platform)[why];
      const listed = names.slice(0, MAX_NAMES).map(shown).join(', ');
      const rest = names.length - MAX_NAMES;
      const files = rest > 0 ? messages.text('channels.andMore', { files: listed, n: rest }) : listed;
      const said = reason({ n: names.length, get: shown(words.get + argument) });
      return messages.text('channels.notAttached', { files, why: said });
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

/** The command and the name as code, which every Markdown shows as it is. */
export function asCode(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}
