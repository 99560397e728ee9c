/** Pictures that a viber draws with a provider's model. */
import { appliesLive, model, section, whole } from '../schema-parts.ts';

export const pictures = section({
  model: model
    .exactOptional()
    .describe('`provider/model` that draws: `google`, `openai` or an endpoint of `providers`'),
  perDay: appliesLive(whole(1, 10_000).default(30).describe('limit on pictures per person and day (UTC)')),
});
