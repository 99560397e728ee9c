/** Words that say themselves what becomes of them while their task is at work (promise 21). */
import type { InboundMessage } from '../../channels/channel.ts';
import type { Command } from '../commands/command.ts';
import type { InjectionMode } from '../contract/entry.ts';

/** The word alone, in a few languages: whoever says it while work is under way means it. */
const STOP =
  /^(stop|stopp|halt|abort|cancel|arr[eê]te|alto|para|detente|ferma|basta|стоп|停|停止|止まれ|ストップ)[.!。！]*$/iu;

/** Whether the whole message says to stop. */
export const saysStop = ({ text, files, kind }: InboundMessage): boolean =>
  files.length === 0 && kind === 'message' && text.length <= 20 && STOP.test(text.trim());

/** `/steer TEXT` and `/followup TEXT` are messages that say themselves what becomes of them; undefined for anything else. */
export function spoken(
  message: InboundMessage,
  spec: Command | undefined,
): { message: InboundMessage; mode: InjectionMode } | undefined {
  const { command, ...rest } = message;
  if (!command || !spec?.says || command.args.trim() === '') return undefined;
  return { message: { ...rest, text: command.args }, mode: spec.says };
}
