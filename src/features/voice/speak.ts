/**
 * Answers a voice message with a voice message (`voice.reply: same`). The text is always sent too; if speech fails,
 * only the text is. The recording is created once: after a crash its file exists.
 */
import { stat } from 'node:fs/promises';
import { principalText } from '../../access/principal.ts';
import type { Attachment } from '../../channels/channel.ts';
import { errorCode, errorMessage } from '../../errors.ts';
import { sha256File, writeFileAtomic } from '../../lib/files.ts';
import type { EndedTurn } from '../../runtime/contract/feature.ts';
import type { Answer } from '../../runtime/contract/outcome.ts';
import { openTask } from '../../workspace/tasks/index.ts';
import { configOf, type Gateway } from '../gateway.ts';
import { spokenUsage } from './spoken-usage.ts';

/** About a minute and a half of speech. The rest can be read. */
const MAX_SPOKEN = 1_500;

/** Returns the answer as a voice message, or undefined if none is wanted or it failed. */
export async function spokenAnswer(
  { text }: Answer,
  { run, items }: EndedTurn,
  gw: Gateway,
): Promise<Attachment | undefined> {
  const { voice } = configOf(gw);
  const last = items.at(-1)?.message;
  const words = speakable(text);
  if (voice.reply === 'off' || !last || words === '') return undefined;
  const file = openTask(gw.home, last.taskId).fileAt(`.say-${run}.ogg`);
  try {
    if (!(await isThere(file))) {
      const charged = { run, task: last.taskId, person: principalText(last.principal) };
      const { beforeCall, onUsage } = gw.models.spending.hooks(charged);
      beforeCall();
      const began = performance.now();
      const { speak } = await import('./speech.ts');
      const sound = await speak(words, gw);
      // Counted first: it has been charged, whatever happens to the file.
      onUsage(voice.speech, spokenUsage(words, sound), Math.round(performance.now() - began));
      await writeFileAtomic(file, Buffer.from(sound));
    }
    const [{ size }, sha256] = await Promise.all([stat(file), sha256File(file)]);
    return { path: file, name: 'answer.ogg', mimeType: 'audio/ogg', size, sha256, isVoice: true };
  } catch (error) {
    gw.log.warn({ trace: run, err: errorMessage(error).slice(0, 200) }, 'an answer could not be spoken');
    return undefined;
  }
}

async function isThere(file: string): Promise<boolean> {
  try {
    return (await stat(file)).size > 0;
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    return false;
  }
}

/** Prepares Markdown for reading aloud: without marks, addresses or code, and cut at the end of a sentence. */
export function speakable(markdown: string): string {
  const plain = markdown
    .replace(/^(`{3,}|~{3,})[\s\S]*?^\1.*$/gm, '')
    .replace(/^\s*\|.*\|\s*$/gm, '')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/https?:\/\/\S+/g, '')
    .replace(/^\s*(#{1,6}|>|[-*+]|\d+[.)])\s+/gm, '')
    .replace(/[*_`~]+/g, '')
    .replace(/[ \t]+/g, ' ')
    .replace(/\n{2,}/g, '\n')
    .trim();
  if (plain.length <= MAX_SPOKEN) return plain;
  const cut = plain.slice(0, MAX_SPOKEN).toWellFormed();
  const end = Math.max(...['. ', '! ', '? ', '\n', '。'].map((mark) => cut.lastIndexOf(mark)));
  return (end > MAX_SPOKEN / 3 ? cut.slice(0, end + 1) : cut).trim();
}
