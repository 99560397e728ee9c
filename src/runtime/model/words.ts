/** Formats what people read about models. */
import { type Messages, sentences, type Text, words } from '../../messages/messages.ts';
import type { Thinking } from '../contract/settings.ts';
import type { ModelChoice } from './choices.ts';

/** Formats an amount as briefly as possible: `2 USD`, `0.15 USD`. */
const money = (amount: number, currency: string, messages: Messages): string =>
  `${messages.number(amount)} ${currency}`;

export function costText({ price }: ModelChoice, currency: string, messages: Messages): Text {
  if (!price) return messages.text('models.unknownCost');
  if (price.input === 0 && price.output === 0) return messages.text('models.free');
  const [input, output] = [money(price.input, currency, messages), money(price.output, currency, messages)];
  return messages.text('models.costs', { input, output });
}

export function nowText(
  model: ModelChoice,
  thinking: Thinking | undefined,
  currency: string,
  messages: Messages,
): Text {
  const { name, id, context } = model;
  const reads = context === undefined ? '' : messages.text('models.reads', { tokens: messages.number(context) });
  const thinks =
    thinking === undefined ? '' : messages.text('models.thinksNow', { level: levelName(thinking, messages) });
  const cost = costText(model, currency, messages);
  const text =
    name === id
      ? messages.text('models.nowPlain', { name, cost, reads })
      : messages.text('models.now', { name, id, cost, reads });
  return sentences(words(text.trim()), thinks);
}

export function buttonFor({ id, name, price }: ModelChoice, currency: string, messages: Messages) {
  const label = price
    ? messages.text('models.button', {
        name,
        input: messages.number(price.input),
        output: money(price.output, currency, messages),
      })
    : messages.text('models.bareButton', { name });
  return { label, args: id };
}

const LEVELS = {
  off: 'models.levelOff',
  low: 'models.levelLow',
  medium: 'models.levelMedium',
  high: 'models.levelHigh',
} as const;

export const levelName = (level: Thinking, messages: Messages): Text => messages.text(LEVELS[level]);
