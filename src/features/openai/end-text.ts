/** Writes the end of a request in the words that the program reads. Pure. */
import type { Messages } from '../../messages/messages.ts';
import type { ArtifactRef } from '../../workspace/types.ts';
import { questionText } from './outcome.ts';
import type { End, EndText } from './turn.ts';

export function writeEnd(end: End, origin: string, messages: Messages): EndText {
  if (end.kind === 'asked') return { end, text: questionText(end.request, messages) };
  const state = end.kind === 'gone' ? end.state : end.result.state;
  const text = end.kind === 'gone' ? '' : end.result.text;
  if (state === 'error') return { end, text: text || messages.text('programs.failed') };
  if (state === 'stopped') return { end, text: text || messages.text('programs.stopped') };
  const files = end.kind === 'result' ? end.result.artifactRefs : [];
  return {
    end,
    text: [text, files.map((file) => linkToArtifact(file, origin)).join('\n')].filter(Boolean).join('\n\n'),
  };
}

/** Files of the gateway are fetched with the token. */
function linkToArtifact({ title, ref }: ArtifactRef, origin: string): string {
  const name = title.replace(/[\\[\]]/g, '\\$&').replace(/\s+/g, ' ');
  return `[${name}](${addressOf(ref, origin)})`;
}

export const addressOf = (ref: string, origin: string): string =>
  /^https?:\/\//.test(ref) ? ref : `${origin}/api/${ref.split('/').map(encodeURIComponent).join('/')}`;

export const isFailure = (end: End): boolean => (end.kind === 'gone' ? end.state : stateOf(end)) === 'error';

const stateOf = (end: Exclude<End, { kind: 'gone' }>): string =>
  end.kind === 'result' ? end.result.state : 'completed';
