/** /model and /think: show and set which model answers here, what it costs, and how long it thinks. */
import { viberCommand } from '../../../lib/invocation.ts';
import { lines, sentences, type Text } from '../../../messages/messages.ts';
import type { Json } from '../../../workspace/types.ts';
import type { ButtonAction } from '../../contract/buttons.ts';
import { isThinking, THINKING } from '../../contract/settings.ts';
import { escapeMarkdown, refuseToGuest } from '../../conversations/places.ts';
import type { ModelChoice } from '../../model/choices.ts';
import { chosenAt, setModel, setThinking } from '../../model/choose.ts';
import { buttonFor, costText, levelName, nowText } from '../../model/words.ts';
import { askedAgain, shownStamp, stamped, withStamp } from '../as-shown.ts';
import type { Command, CommandReply, Invocation } from '../command.ts';

const MAX_BUTTONS = 8;
const ONLY_ONE = 'offline/';

export const model: Command = {
  name: 'model',
  help: { group: 'model', does: 'does.model' },
  description: 'Which model answers here, and what it costs',
  argument: { name: 'model', description: 'Its name, or "usual"', pattern: '^\\S+( \\S+){0,2}$' },
  action: 'chat',
  async run(context) {
    const { messages } = context;
    const words = context.args.trim();
    if (words === '') return replyWithModel(context);
    refuseToGuest(context);
    const { given, stamp } = withStamp(words);
    const to = choosing(context);
    const found = to.models.find(given, to.isOwner);
    if (stamp !== undefined && found.kind === 'model' && stamp !== shownStamp(costOf(found.model, to.models.currency)))
      return askedAgain({ text: askText(found.model, context), buttons: [[priced(found.model, context)]] }, messages);
    const { text, isDone } = await setModel(given, to);
    return isDone ? { text } : { text, ...offer(context) };
  },
};

export const think: Command = {
  name: 'think',
  help: { group: 'model', does: 'does.think' },
  description: 'How long I think here: off, low, medium or high',
  argument: { name: 'level', description: 'off, low, medium, high or usual', pattern: '^(off|low|medium|high|usual)$' },
  action: 'chat',
  async run(context) {
    const wanted = context.args.trim().toLowerCase();
    const { messages } = context;
    const { model: now, thinking } = chosenAt(choosing(context));
    if (wanted !== '' && wanted !== 'usual' && !isThinking(wanted)) return { text: messages.text('models.howLong') };
    if (wanted !== '') {
      refuseToGuest(context);
      return { text: await setThinking(wanted === 'usual' ? 'usual' : wanted, choosing(context)) };
    }
    const levels = now.thinking ?? THINKING;
    if (levels.length === 0) return { text: cannotChoose(now, context) };
    const others = levels.filter((level) => level !== thinking);
    const usual = { label: messages.text('models.levelUsual'), command: 'think', args: 'usual' };
    return {
      text:
        thinking === undefined
          ? messages.text('models.thinksUsual', { name: now.name })
          : messages.text('models.thinks', { level: levelName(thinking, messages) }),
      buttons: [
        [
          ...others.map((level) => ({ label: levelName(level, messages), command: 'think', args: level })),
          ...(thinking === undefined ? [] : [usual]),
        ],
      ],
    };
  },
};

/** Says that this model has no levels of thinking, and whether another one has. */
function cannotChoose({ id, name }: ModelChoice, context: Invocation): Text {
  const others = othersThan(id, context);
  if (others.some(({ thinking }) => thinking?.length !== 0))
    return context.messages.text('models.cannotChoose', { name });
  return sentences(context.messages.text('models.noneChoosable', { name }), howToConnect(others, context));
}

/** The owner's next step while there is no other model. */
const howToConnect = (others: readonly ModelChoice[], { principal, messages }: Invocation): Text | '' =>
  others.length === 0 && principal.role === 'owner'
    ? messages.text('models.connect', { command: viberCommand('init') })
    : '';

const askText = (about: ModelChoice, { gw, messages }: Invocation): Text =>
  messages.text('models.ask', {
    name: escapeMarkdown(about.name),
    cost: costText(about, gw.models.choices.currency, messages),
  });

/** A button carries the price that it shows, so that the price can't change unnoticed. */
const costOf = ({ price }: ModelChoice, currency: string): Json => (price ? [price.input, price.output, currency] : []);

/** Returns a button that chooses the model at the price that it shows. */
function priced(about: ModelChoice, { gw, messages }: Invocation): ButtonAction {
  const { label, args } = buttonFor(about, gw.models.choices.currency, messages);
  return { label, command: 'model', args: stamped(args, costOf(about, gw.models.choices.currency)) };
}

const choosing = ({ gw, address, principal, messages }: Invocation) => ({
  models: gw.models.choices,
  settings: gw.places.settings,
  address,
  messages,
  isOwner: principal.role === 'owner',
});

function replyWithModel(context: Invocation): CommandReply {
  const { messages, ...to } = choosing(context);
  const { model: now, thinking } = chosenAt(to);
  const text = nowText(now, thinking, to.models.currency, messages);
  const more = offer(context);
  if (more.buttons.length > 0) return { text: lines(text, '', messages.text('models.others')), ...more };
  return { text: sentences(text, howToConnect(othersThan(now.id, context), context)) };
}

function offer(context: Invocation): { buttons: ButtonAction[][] } {
  const { messages, models, ...to } = choosing(context);
  const { model: now, isUsual } = chosenAt({ models, ...to });
  const rows = othersThan(now.id, context)
    .slice(0, MAX_BUTTONS)
    .map((one) => [priced(one, context)]);
  const usual = { label: messages.text('models.usualButton'), command: 'model', args: 'usual' };
  return { buttons: isUsual ? rows : [...rows, [usual]] };
}

function othersThan(now: string, context: Invocation): ModelChoice[] {
  const { models, isOwner } = choosing(context);
  return models
    .offered()
    .filter(({ id }) => id !== now && !id.startsWith(ONLY_ONE) && models.find(id, isOwner).kind === 'model');
}
