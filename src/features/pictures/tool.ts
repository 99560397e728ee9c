/**
 * `create_picture`: draws a picture from a description, or changes one. Each call costs money, so it is never repeated.
 */
import { z } from 'zod';
import { principalText } from '../../access/principal.ts';
import { UserError } from '../../errors.ts';
import { readBytes } from '../../lib/files/below.ts';
import { hashText } from '../../lib/files.ts';
import { scrub } from '../../log.ts';
import type { Order } from '../../runtime/contract/order.ts';
import { splitModelName } from '../../runtime/contract/providers.ts';
import { defineTool } from '../../runtime/contract/tool.ts';
import type { ToolScope } from '../../runtime/contract/tool-scope.ts';
import { attached } from '../../runtime/tools/artifacts.ts';
import { useFound } from '../../runtime/tools/paths.ts';
import { openTask } from '../../workspace/tasks/index.ts';
import { configOf, type Gateway } from '../gateway.ts';

export interface PictureRun {
  gw: Gateway;
  scope: ToolScope;
  order: Order;
}

export const SIZES = ['square', 'landscape', 'portrait'] as const;

const MAX_PROMPT = 4_000;
const MAX_SOURCE = 10_000_000;
const DAY_MS = 86_400_000;
const NAMES: Readonly<Record<string, string>> = { openai: 'OpenAI', google: 'Google' };

const input = z.object({
  prompt: z.string().trim().min(1).max(MAX_PROMPT),
  size: z.enum(SIZES).exactOptional(),
  file: z.string().describe('a picture to change: an artifact or workspace file').exactOptional(),
});

const drawingModel = ({ gw }: PictureRun): string => configOf(gw).pictures.model ?? '';

export const createPicture = defineTool({
  name: 'create_picture',
  describe: 'Draw a picture from a description, or change one; it is attached to your answer. Each costs money.',
  doing: 'doing.drawingPicture',
  input,
  effect: 'external',
  ownWords: true,
  kindOf: (_input, run: PictureRun) => `pictures by ${providerName(run)}`,
  asks: ({ prompt }, run, { messages, plain }) => ({
    text: messages.text('consent.drawPicture', { prompt: plain(prompt, 400), who: providerName(run) }),
    yes: messages.text('consent.draw'),
  }),
  async execute({ prompt, size = 'square', file }, run, { signal }) {
    const { gw, scope, order } = run;
    const source = file === undefined ? undefined : await pictureIn(scope, file, signal);
    const model = drawingModel(run);
    const person = principalText(order.principal);
    const { beforeCall, onUsage } = gw.models.spending.hooks({
      run: order.asked?.root ?? order.run,
      task: order.task.id,
      person,
    });
    beforeCall();
    await countPicture(person, gw);
    const began = performance.now();
    const { drawPicture } = await import('./draw.ts');
    const words = scrub(prompt);
    const { bytes, type, usage } = await drawPicture({ model, words, size, ...(source && { source }) }, gw, signal);
    // Counted first: it has been charged, whatever happens to the file.
    onUsage(model, usage, Math.round(performance.now() - began));
    const id = hashText(JSON.stringify([scope.runId, words, Buffer.from(bytes).toString('base64')])).slice(0, 10);
    const given = { id, title: pictureTitle(words), type, content: bytes, origin: 'agent' as const };
    const ref = await openTask(scope.home, scope.taskId).artifacts.create(given);
    scope.onShown?.(ref);
    return attached(scope, ref);
  },
});

function providerName(run: PictureRun): string {
  const { provider } = splitModelName(drawingModel(run));
  return NAMES[provider] ?? provider;
}

/**
 * Counts a refused picture too, because the provider may charge for it.
 * @throws UserError at the day's limit
 */
async function countPicture(person: string, gw: Gateway): Promise<void> {
  const { perDay: most } = configOf(gw).pictures;
  const day = new Date().toISOString().slice(0, 10);
  const count = await gw.engine.state.add(`pictures:${day}:${hashText(person)}`, 1, 2 * DAY_MS);
  if (count > most) throw new UserError(`This person has used today's ${most} pictures (pictures.perDay).`);
}

const pictureIn = (scope: ToolScope, file: string, signal: AbortSignal): Promise<Uint8Array> =>
  useFound(scope, file, async ({ fd }) => readBytes(fd, MAX_SOURCE), signal);

const pictureTitle = (words: string): string => words.replace(/\s+/g, ' ').slice(0, 60).toWellFormed();
