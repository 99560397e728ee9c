/** /model and /think: show and set which model answers in this conversation, what it costs, and how long it thinks. */
import { lines, type Text } from '../../../messages/messages.ts';
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
    if (levels.length === 0) return { text: messages.text('models.cannotChoose', { name: now.name }) };
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

const askText = (about: ModelChoice, { gw, messages }: Invocation): Text =>
  messages.text('models.ask', {
    name: escapeMarkdown(about.name),
    cost: costText(about, gw.models.choices.currency, messages),
  });

/** Returns the part of a model's button that must not change unnoticed: its price. */
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
  return more.buttons.length > 0 ? { text: lines(text, '', messages.text('models.others')), ...more } : { text };
}

/** Returns buttons for the other models that this person may choose. */
function offer(context: Invocation): { buttons: ButtonAction[][] } {
  const { messages, models, isOwner, ...to } = choosing(context);
  const { model: now, isUsual } = chosenAt({ models, ...to });
  const others = models.offered().filter(({ id }) => {
    return id !== now.id && !id.startsWith(ONLY_ONE) && models.find(id, isOwner).kind === 'model';
  });
  const rows = others.slice(0, MAX_BUTTONS).map((one) => [priced(one, context)]);
  const usual = { label: messages.text('models.usualButton'), command: 'model', args: 'usual' };
  return { buttons: isUsual ? rows : [...rows, [usual]] };
}
