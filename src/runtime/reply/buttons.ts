/**
 * Buttons carry an opaque random id; what a press means stands in the engine's state: a command of the table, or words put
 * into the person's mouth, bound to the conversation it was offered in.
 */

import { randomBytes } from 'node:crypto';
import { type Address, type Button, conversationKey } from '../../channels/channel.ts';
import type { State } from '../../engine/engine.ts';
import { parseJson } from '../../lib/read-json.ts';
import { type Is, isFilled, isText, objectOf, shape } from '../../lib/shape.ts';
import type { ButtonAction } from '../contract/buttons.ts';

export interface Buttons {
  /** Rows of buttons for a conversation; valid for 30 days. */
  offer(address: Address, rows: ButtonAction[][]): Promise<Button[][]>;
  /** What a press means; undefined when the id is unknown, expired, or was offered elsewhere. */
  press(id: string, address: Address): Promise<ButtonAction | undefined>;
}

const isAction: Is = (value) =>
  objectOf({ label: isText, command: isFilled, args: isText })(value) ||
  objectOf({ label: isText, say: isText })(value);
const storedShape = shape<{ action: ButtonAction; where: string }>(objectOf({ action: isAction, where: isText }));
const TTL_MS = 30 * 86_400_000;

/** @param onOffer is told of questions before they are put. Must not throw. */
export function createButtons(
  state: Pick<State, 'get' | 'set'>,
  onOffer?: (address: Address, questions: readonly string[]) => void,
): Buttons {
  return {
    offer(address, rows) {
      onOffer?.(
        address,
        rows.flat().flatMap(({ decides }) => decides ?? []),
      );
      return Promise.all(
        rows.map((row) =>
          Promise.all(
            row.map(async (action) => {
              const id = randomBytes(12).toString('base64url');
              await state.set(`button:${id}`, JSON.stringify({ action, where: conversationKey(address) }), TTL_MS);
              const { label, decides } = action;
              return decides === undefined ? { id, label } : { id, label, decides };
            }),
          ),
        ),
      );
    },
    async press(id, address) {
      const stored = await state.get(`button:${id}`);
      if (stored === undefined) return undefined;
      const offered = storedShape.safeParse(parseJson(stored)).data;
      return offered?.where === conversationKey(address) ? offered.action : undefined;
    },
  };
}
