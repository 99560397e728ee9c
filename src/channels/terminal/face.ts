/** Chooses the view: one that draws if a person types at a capable terminal, otherwise one that works line by line. */
import path from 'node:path';
import type { Messages } from '../../messages/messages.ts';
import type { CommandSpec, Suggestion } from '../channel.ts';
import type { Input } from './keyboard.ts';
import { LinesFace } from './lines-face.ts';
import { type Environment, lookOf } from './look.ts';
import type { Output } from './screen.ts';
import { ScreenFace } from './screen-face.ts';
import type { Face } from './seam.ts';

export interface FaceOptions {
  input: Input;
  output: Output;
  env: Environment;
  messages: Messages;
  home: string;
  commands: readonly CommandSpec[];
  suggest: (command: string, text: string) => Promise<Suggestion[]>;
  /** Resolves when everything said so far is answered. Needed where a program may write. */
  settled?: () => Promise<void>;
}

/** Whether a person types there, not a program. */
export const isInteractive = ({ input, output }: { input: Input; output: Output }): boolean =>
  input.isTTY === true && output.isTTY === true;

export function createFace(options: FaceOptions): Face {
  const { input, output, env, messages, home, commands, suggest, settled = () => Promise.resolve() } = options;
  const look = lookOf(output, env);
  const isTyped = isInteractive(options);
  if (!isTyped || !look.isDrawn) return new LinesFace({ input, output, look, messages, isTyped, settled });
  return new ScreenFace({
    input,
    output,
    look,
    messages,
    history: path.join(home, 'run', 'terminal-history.jsonl'),
    completing: { commands, suggest, folders: [path.join(home, 'workspace'), home] },
  });
}
