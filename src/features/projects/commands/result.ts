/** Builds the result of a command for the model. */
import { scrub } from '../../../log.ts';
import type { Json } from '../../../workspace/types.ts';
import { shownOutput } from './output.ts';
import type { TaskProcess } from './task-process.ts';

const MAX_REFUSED = 10;

/** @param text the output to show */
export function commandResult(process: TaskProcess, text: string): { [key: string]: Json } {
  const { end } = process;
  const { output, isCut } = shownOutput(scrub(text));
  const refused = process.refused().slice(0, MAX_REFUSED);
  return {
    ...(end
      ? { ...(end.exit !== undefined && { exit: end.exit }), ...(end.why && { ended: end.why }) }
      : { id: process.id }),
    output,
    ...(isCut && { isCut }),
    seconds: end?.seconds ?? Math.round((Date.now() - Date.parse(process.startedAt)) / 1000),
    ...(end?.disarmed && {
      disarmed: `These would have run outside the sandbox, so they were renamed to .refused, and only harmless settings were kept: ${end.disarmed.slice(0, MAX_REFUSED).join(', ')}. Tell the person.`,
    }),
    ...(refused.length > 0 && {
      refused: `The network of this project doesn't reach ${refused.join(', ')}. The owner can change "network" of its folder in projects.roots.`,
    }),
  };
}
