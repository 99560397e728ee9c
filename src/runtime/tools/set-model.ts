/**
 * `set_model`: changes the model of this conversation and how long it thinks, with the rights of the command. A model
 * that isn't listed for everyone may cost far more, so it requires consent.
 */
import { z } from 'zod';
import { UserError } from '../../errors.ts';
import { messagesIn } from '../../messages/messages.ts';
import { THINKING } from '../contract/settings.ts';
import { defineTool } from '../contract/tool.ts';
import type { ModelChoice, ModelChoices } from '../model/choices.ts';
import { type Choosing, setModel, setThinking, USUAL } from '../model/choose.ts';
import { costText } from '../model/words.ts';
import { inConversation } from './offered.ts';
import { addressOfRun, type ToolRun } from './run.ts';

const input = z.object({
  model: z.string().max(200).describe('a listed id, or "usual"').exactOptional(),
  thinking: z.enum([...THINKING, USUAL]).exactOptional(),
});

function choosing(run: ToolRun): Choosing {
  const { models, places } = run.gw;
  const isOwner = run.order.principal.role === 'owner';
  // The model reads English and answers in the person's language.
  return {
    models: models.choices,
    settings: places.settings,
    address: addressOfRun(run),
    isOwner,
    messages: messagesIn('en'),
  };
}

/** Not everyone may choose the model. Words that name none are refused without asking. */
function isUnlisted(words: string, { models, isOwner }: Choosing): boolean {
  return models.find(words, isOwner).kind === 'model' && models.find(words, false).kind !== 'model';
}

/** Models and prices come from the configuration, so the text is the same for every run. */
const described = new WeakMap<ModelChoices, { owner?: string; others?: string }>();

function describeTool(models: ModelChoices, isOwner: boolean): string {
  const listed = models.offered().filter(({ id }) => models.find(id, isOwner).kind === 'model');
  return `Change which model answers here, and how long it thinks, from the next answer on. Only when asked; say what it costs. Models (price in and out for a million tokens): ${listed.map((model) => line(model, models.currency)).join('; ')}`;
}

export const setModelTool = defineTool({
  name: 'set_model',
  describe(run: ToolRun) {
    const { models, isOwner } = choosing(run);
    const known = described.get(models) ?? {};
    described.set(models, known);
    const who = isOwner ? 'owner' : 'others';
    known[who] ??= describeTool(models, isOwner);
    return known[who];
  },
  doing: 'doing.model',
  offered: inConversation,
  ownWords: true,
  input,
  effect: 'idempotent',
  consent: 'effects',
  isOutside: ({ model }, run) => model !== undefined && isUnlisted(model, choosing(run)),
  settled({ model, ...rest }, run) {
    const { models, isOwner } = choosing(run);
    const found = model === undefined ? undefined : models.find(model, isOwner);
    return { ...rest, ...(model !== undefined && { model: found?.kind === 'model' ? found.model.id : model }) };
  },
  shows({ model = USUAL }, run) {
    const { models, isOwner } = choosing(run);
    const found = models.find(model, isOwner);
    const { id, name, price } = found.kind === 'model' ? found.model : models.usual();
    return [id, name, price ? [price.input, price.output, models.currency] : []];
  },
  asks({ model = USUAL }, run, { messages, plain }) {
    const { models, isOwner } = choosing(run);
    const found = models.find(model, isOwner);
    const about = found.kind === 'model' ? found.model : models.usual();
    const cost = costText(about, models.currency, messages);
    return { text: messages.text('models.ask', { name: plain(about.name), cost }) };
  },
  async execute({ model, thinking }, run) {
    if (model === undefined && thinking === undefined) throw new UserError('Give model, thinking or both.');
    const to = choosing(run);
    const said: string[] = [];
    if (model !== undefined) {
      const { text, isDone } = await setModel(model, to);
      if (!isDone) throw new UserError(text);
      said.push(text);
    }
    if (thinking !== undefined) said.push(await setThinking(thinking, to));
    return { done: said.join(' ') };
  },
});

function line({ id, name, price }: ModelChoice, currency: string): string {
  const cost = price ? `${price.input} and ${price.output} ${currency}` : 'price not known';
  return `${id}${name === id ? '' : ` (${name})`} ${cost}`;
}
