/**
 * Reports damaged files in the home: logs each at once, and sends the owners one message about those found together.
 */
import path from 'node:path';
import { type Damage, damageText, listenForDamage } from '../lib/damage.ts';
import { hashText } from '../lib/files.ts';
import { counted } from '../lib/text.ts';
import type { Logger } from '../log.ts';
import type { Home } from '../workspace/home.ts';
import { checkTexts } from './words.ts';

export interface DamageOptions {
  root: string;
  log: Logger;
  /** Must not reject. Sending the same ID again has no effect. */
  tellOwners: (id: string, text: string) => Promise<void>;
}

/** Damage found within this time, in ms, is reported together. */
const GATHER_MS = 300;
const MAX_SHOWN = 5;
/** Delays the first check so that it doesn't slow the start, in ms. */
const CHECK_MS = 1_500;

export function reportDamage({ root, log, tellOwners }: DamageOptions): {
  /** Must be called once the owners can be told. */
  start(home: Home): void;
  close(): void;
} {
  let waiting: Damage[] = [];
  let timer: NodeJS.Timeout | undefined;
  let canReport = false;
  let checking: NodeJS.Timeout | undefined;

  function tell(): void {
    timer = undefined;
    for (const damage of waiting.filter(({ once }) => once !== undefined))
      void tellOwners(`damage-${hashText(damage.once ?? '').slice(0, 16)}`, damageText(damage, root));
    const texts = waiting.filter(({ once }) => once === undefined).map((damage) => damageText(damage, root));
    waiting = [];
    if (texts.length === 0) return;
    const more = texts.length - MAX_SHOWN;
    const rest = more > 0 ? [`The log names ${counted(more, 'more damaged file')}.`] : [];
    const text = [...texts.slice(0, MAX_SHOWN), ...rest].join('\n\n');
    void tellOwners(`damage-${hashText(`${Date.now()} ${text}`).slice(0, 16)}`, text);
  }

  const gather = () => {
    if (canReport && waiting.length > 0) timer ??= setTimeout(tell, GATHER_MS);
  };

  const stop = listenForDamage(root, (damage) => {
    const { file, movedTo, lost } = damage;
    const shown = movedTo === undefined ? {} : { movedTo: path.relative(root, movedTo) };
    log.error({ file: path.relative(root, file), ...shown, lost }, damageText(damage, root));
    if (damage.tell) waiting = [...waiting, damage];
    gather();
  });

  return {
    start(home) {
      canReport = true;
      gather();
      checking = setTimeout(() => {
        checkTexts(home).catch((error: unknown) =>
          log.error({ err: error }, 'the files of the home could not be checked'),
        );
      }, CHECK_MS).unref();
    },
    close() {
      clearTimeout(timer);
      clearTimeout(checking);
      stop();
    },
  };
}
