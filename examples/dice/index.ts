/** An example of an external feature: dice as a tool and a command, with a setting. `plugins` loads it. */
import { randomInt } from 'node:crypto';
import {
  defineCommand,
  defineFeature,
  defineTool,
  type PluginGateway,
  settings as parts,
  settingsOf,
  words,
  z,
} from 'openviber-gateway/plugin';

const { section, whole } = parts;
const NAME = 'dice';
const settings = section({ sides: whole(2, 1000).default(6) });

/** Rolls that many dice, each with the configured number of sides. */
function roll(gw: PluginGateway, count: number): { sides: number; rolled: number[] } {
  const { sides } = settingsOf(gw, NAME, settings);
  return { sides, rolled: Array.from({ length: count }, () => randomInt(1, sides + 1)) };
}

const rollDice = defineTool({
  name: 'roll_dice',
  describe: 'Roll dice and give what each shows.',
  input: z.object({ count: z.number().int().min(1).max(20).describe('how many') }),
  effect: 'read',
  execute: async ({ count }, { gw }) => roll(gw, count),
});

const dice = defineCommand({
  name: 'dice',
  description: 'Roll dice (/dice 2)',
  argument: { name: 'count', description: 'How many', pattern: String.raw`^\d{1,2}$` },
  action: 'chat',
  async run({ gw, args }) {
    const { sides, rolled } = roll(gw, Math.min(20, Math.max(1, Number(args) || 1)));
    return { text: words(`${rolled.join(', ')} (of ${sides})`) };
  },
});

export default defineFeature({ name: NAME, settings, tools: [rollDice], commands: [dice] });
