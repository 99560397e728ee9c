/** Which model answers here and how long it thinks. A choice is the command that a chat has for it. */
import type { JSX } from 'preact';
import type { Composing } from '../../../client/shapes.ts';
import { words } from '../words.ts';

type Level = keyof typeof words.composer.levels;

/** Shown only where there is something to choose. */
export function ModelChoice(props: { of: Composing; onCommand: (text: string) => void }): JSX.Element | null {
  const { of: offered, onCommand } = props;
  const { models = [], model, isUsual = true, thinking, levels = [] } = offered;
  const known = models.some(({ id }) => id === model?.id) || model === undefined ? models : [model, ...models];
  const levelLabel = (level: string): string => words.composer.levels[level as Level] ?? level;
  return (
    <>
      {known.length > 1 && (
        <select
          class="pick"
          aria-label={words.composer.model}
          value={isUsual ? 'usual' : model?.id}
          onChange={(event) => onCommand(`/model ${event.currentTarget.value}`)}
        >
          {known.map(({ id, name }, index) => (
            <option key={id} value={index === 0 ? 'usual' : id}>
              {index === 0 ? words.composer.usualModel(name) : name}
            </option>
          ))}
        </select>
      )}
      {levels.length > 0 && (
        <select
          class="pick"
          aria-label={words.composer.thinking}
          value={thinking ?? 'usual'}
          onChange={(event) => onCommand(`/think ${event.currentTarget.value}`)}
        >
          {['usual', ...levels].map((level) => (
            <option key={level} value={level}>
              {levelLabel(level)}
            </option>
          ))}
        </select>
      )}
    </>
  );
}
