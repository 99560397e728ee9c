/** Which models may be chosen, with all that needs of the configuration, and the choice of each conversation. */
import type { Config } from '../config.ts';
import { messagesIn } from '../messages/messages.ts';
import type { Toolbox } from '../runtime/contract/order.ts';
import type { ConversationSettings } from '../runtime/conversations/settings.ts';
import { priceOf } from '../runtime/costs/prices.ts';
import { createChoices, type ModelChoices } from '../runtime/model/choices.ts';
import { chosenAt } from '../runtime/model/choose.ts';
import type { ModelCheck } from '../runtime/model/models.ts';
import type { RunServices } from '../runtime/run/services.ts';
import { setModelTool } from '../runtime/tools/set-model.ts';

export interface AppModels {
  choices: ModelChoices;
  chosen: NonNullable<RunServices['chosen']>;
  toolbox: Toolbox;
}

export function openAppModels(options: {
  config: Pick<Config, 'models' | 'fallback' | 'prices' | 'currency'>;
  models: ModelCheck;
  modelName: () => string;
  settings: ConversationSettings;
}): AppModels {
  const { config, settings } = options;
  const { prices, currency, fallback, models: listed } = config;
  const choices = createChoices({
    ...{ models: options.models, usual: options.modelName, fallback, listed, currency },
    priceOf: (id) => priceOf(id, prices, currency),
  });
  return {
    choices,
    chosen(address) {
      const { model, isUsual, thinking } = chosenAt({ models: choices, settings, address });
      return { ...(isUsual ? {} : { model: model.id }), ...(thinking && { thinking }) };
    },
    async toolbox({ principal, job, address, asked }) {
      // Where nobody asked in a conversation there is none to choose for.
      if (!address || job || asked || principal.role === 'guest') return { tools: [], skills: '' };
      const isOwner = principal.role === 'owner';
      // The model is told in English, and says it in the person's language.
      const messages = messagesIn('en');
      return { tools: [setModelTool({ models: choices, settings, address, isOwner, messages })], skills: '' };
    },
  };
}
