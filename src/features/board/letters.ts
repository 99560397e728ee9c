/**
 * Lists messages that were given up or whose arrival is uncertain, and retries them: puts each into the queue or the
 * outbox under a new name, then removes it from its folder.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { OutboundMessage } from '../../channels/channel.ts';
import type { Letter } from '../../client/shapes.ts';
import type { Queue } from '../../engine/engine.ts';
import { hashText } from '../../lib/files.ts';
import { isRecord, readJson } from '../../lib/json.ts';
import { anything, objectOf, shape } from '../../lib/shape.ts';
import { cutText, plainLine } from '../../lib/text.ts';
import { scrub } from '../../log.ts';
import { type Entry, shareOf } from '../../runtime/contract/entry.ts';
import { entryShape, outboxShape } from '../../runtime/contract/spool-shapes.ts';
import type { Delivery } from '../../runtime/delivery.ts';

const NAME = /^[\w.~-]{1,200}$/;
const ABOUT = { lost: 'a message that was given up' };
const letterShape = shape<Record<string, unknown>>(objectOf({ message: anything }));
const SHOWN = 200;

export function openLetters(options: {
  /** The folder `spool/` of the home. */
  folder: string;
  queue: Queue<Entry>;
  delivery: Delivery;
}) {
  const { folder, queue, delivery } = options;
  const fileOf = (kind: Letter['kind'], id: string) => path.join(folder, kind, `${id}.json`);
  const read = (kind: Letter['kind'], id: string) =>
    NAME.test(id) ? readJson(fileOf(kind, id), letterShape, ABOUT) : undefined;

  function letterOf(kind: Letter['kind'], id: string): Letter[] {
    const value = read(kind, id);
    if (!value) return [];
    const { message, reason, deadReason, diedAt, createdAt, acceptedAt } = value;
    const said = isRecord(message) && isRecord(message.message) ? message.message : message;
    const { address, text } = isRecord(said) ? said : {};
    const at =
      stringOrEmpty(diedAt) ||
      stringOrEmpty(acceptedAt) ||
      (typeof createdAt === 'number' ? new Date(createdAt).toISOString() : '');
    const { channel, chat } = isRecord(address) ? address : {};
    return [
      {
        id,
        kind,
        reason: scrub(stringOrEmpty(deadReason) || stringOrEmpty(reason)),
        diedAt: at,
        to: [stringOrEmpty(channel), stringOrEmpty(chat)].filter(Boolean).join(':'),
        text: cutText(plainLine(scrub(stringOrEmpty(text))), SHOWN),
      },
    ];
  }

  return {
    list(kind: Letter['kind']): Letter[] {
      const at = path.join(folder, kind);
      const names = fs.existsSync(at) ? fs.readdirSync(at).filter((name) => name.endsWith('.json')) : [];
      const letters = names.sort().flatMap((name) => letterOf(kind, name.slice(0, -'.json'.length)));
      return letters.sort((a, b) => b.diedAt.localeCompare(a.diedAt) || a.id.localeCompare(b.id));
    },
    /** Queues the message again, but only once, however often this is called. Returns false if it doesn't exist. */
    async retry(kind: Letter['kind'], id: string): Promise<boolean> {
      const value = read(kind, id);
      if (!value) return false;
      // A crash before the file is removed repeats nothing, because queueing it again has no effect.
      const name = `again-${hashText(`${kind} ${id}`).slice(0, 24)}`;
      const answer = outboxShape.safeParse(value);
      const entry = entryShape.safeParse(value.message);
      if (answer.success && isAnswer(value)) {
        await delivery.add({ ...value.message, id: name }, stringOrEmpty(value.trace) || id.slice(0, 12), true);
      } else if (entry.success && entry.data && typeof value.lane === 'string') {
        await queue.enqueue(value.lane, entry.data, { dedupeId: name, by: shareOf(entry.data) });
      } else return false;
      fs.rmSync(fileOf(kind, id), { force: true });
      return true;
    },
  };
}

export type Letters = ReturnType<typeof openLetters>;

const stringOrEmpty = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Narrows a value that the caller has validated with the schema of answers. */
const isAnswer = (value: Record<string, unknown>): value is { message: OutboundMessage; trace?: unknown } =>
  typeof value.createdAt === 'number' && isRecord(value.message) && isRecord(value.message.address);
