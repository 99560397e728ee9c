/**
 * `set_model`: the model of this conversation, and how long it thinks, in words. A person who may not choose a model by command
 * may not have it chosen here either; one that is not listed for everybody is asked about, since it may cost far more.
 */
import { z } from 'zod';
import { UserError } from '../../errors.ts';
import { THINKING } from '../contract/settings.ts';
import type { RuntimeTool } from '../contract/task.ts';
import { defineTool } from '../contract/tool-scope.ts';
import type { ModelChoice } from '../model/choices.ts';
import { type Choosing, setModel, setThinking, USUAL } from '../model/choose.ts';
import { costText } from '../model/words.ts';

const input = z.object({
  model: z.string().max(200).describe('a listed id, or "usual"').exactOptional(),
  thinking: z.enum([...THINKING, USUAL]).exactOptional(),
});

export function setModelTool(to: Choosing): RuntimeTool {
  const { models, isOwner } = to;
  const listed = models.offered().filter(({ id }) => models.find(id, isOwner).kind === 'model');
  return defineTool({
    name: 'set_model',
    description: `Change which model answers here, and how long it thinks, from the next answer on. Only when asked; say what it costs. Models (price in and out for a million tokens): ${listed.map((model) => line(model, models.currency)).join('; ')}`,
    input,
    effect: 'idempotent',
    consent: 'effects',
    isOutside: ({ model }) => model !== undefined && isUnlisted(model),
    settled({ model, ...rest }) {
      const found = model === undefined ? undefined : models.find(model, isOwner);
      return { ...rest, ...(model !== undefined && { model: found?.kind === 'model' ? found.model.id : model }) };
    },
    shows({ model = USUAL }) {
      const found = models.find(model, isOwner);
      const { id, name, price } = found.kind === 'model' ? found.model : models.usual();
      return [id, name, price ? [price.input, price.output, models.currency] : []];
    },
    asks: ({ model = USUAL }, { messages, plain }) => {
      const found = models.find(model, isOwner);
      const about = found.kind === 'model' ? found.model : models.usual();
      const cost = costText(about, models.currency, messages);
      return { text: messages.text('models.ask', { name: plain(about.name), cost }) };
    },
    async execute({ model, thinking }) {
      if (model === undefined && thinking === undefined) throw new UserError('Give model, thinking or both.');
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

  /** One that not everybody may choose. Words that name none are refused without a question. */
  function isUnlisted(words: string): boolean {
    return models.find(words, isOwner).kind === 'model' && models.find(words, false).kind !== 'model';
  }
}

function line({ id, name, price }: ModelChoice, currency: string): string {
  const cost = price ? `${price.input} and ${price.output} ${currency}` : 'price not known';
  return `${id}${name === id ? '' : ` (${name})`} ${cost}`;
}
