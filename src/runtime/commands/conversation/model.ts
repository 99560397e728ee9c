/** /model and /think: which model answers in this conversation, what it costs, and how long it thinks. */
import { lines } from '../../../messages/messages.ts';
import { isThinking, THINKING } from '../../contract/settings.ts';
import { refuseToGuest } from '../../conversations/places.ts';
import { chosenAt, setModel, setThinking } from '../../model/choose.ts';
import { buttonFor, levelName, nowText } from '../../model/words.ts';
import type { Command, CommandContext, CommandReply } from '../command.ts';

const MAX_BUTTONS = 8;
const ONLY_ONE = 'offline/';

export const model: Command = {
  name: 'model',
  description: 'Which model answers here, and what it costs',
  argument: { name: 'model', description: 'Its name, or "usual"', pattern: '^\\S+( \\S+){0,2}$' },
  action: 'chat',
  async run(context) {
    const words = context.args.trim();
    if (words === '') return show(context);
    refuseToGuest(context);
    const { text, isDone } = await setModel(words, choosing(context));
    return isDone ? { text } : { text, ...offer(context) };
  },
};

export const think: Command = {
  name: 'think',
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

const choosing = ({ models, settings, address, principal, messages }: CommandContext) => ({
  ...{ models, settings, address, messages, isOwner: principal.role === 'owner' },
});

function show(context: CommandContext): CommandReply {
  const { messages, ...to } = choosing(context);
  const { model: now, thinking } = chosenAt(to);
  const text = nowText(now, thinking, to.models.currency, messages);
  const more = offer(context);
  return more.buttons.length > 0 ? { text: lines(text, '', messages.text('models.others')), ...more } : { text };
}

/** Buttons for the models that this person may choose, but for the one in use. */
function offer(context: CommandContext): Required<Pick<CommandReply, 'buttons'>> {
  const { messages, models, isOwner, ...to } = choosing(context);
  const { model: now, isUsual } = chosenAt({ models, ...to });
  const others = models.offered().filter(({ id }) => {
    return id !== now.id && !id.startsWith(ONLY_ONE) && models.find(id, isOwner).kind === 'model';
  });
  const rows = others.slice(0, MAX_BUTTONS).map((one) => [buttonFor(one, models.currency, messages)]);
  const usual = { label: messages.text('models.usualButton'), command: 'model', args: 'usual' };
  return { buttons: isUsual ? rows : [...rows, [usual]] };
}
