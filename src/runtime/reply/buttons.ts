/**
 * Buttons carry an opaque random ID. The engine's state stores what a press means, a command or words that the person
 * says, bound to the conversation where the button was offered.
 */

import { randomBytes } from 'node:crypto';
import { type Address, type Button, conversationKey } from '../../channels/channel.ts';
import type { State } from '../../engine/engine.ts';
import { parseJson } from '../../lib/json.ts';
import { type Is, isFilled, isText, objectOf, shape } from '../../lib/shape.ts';
import type { ButtonAction } from '../contract/buttons.ts';

export interface Buttons {
  /** Creates rows of buttons for a conversation; they are valid for 30 days. */
  offer(address: Address, rows: ButtonAction[][]): Promise<Button[][]>;
  /** Returns what a press means; undefined if the ID is unknown, expired, or was offered elsewhere. */
  press(id: string, address: Address): Promise<ButtonAction | undefined>;
}

const isAction: Is = (value) =>
  objectOf({ label: isText, command: isFilled, args: isText })(value) ||
  objectOf({ label: isText, say: isText })(value);
const storedShape = shape<{ action: ButtonAction; where: string }>(objectOf({ action: isAction, where: isText }));
const TTL_MS = 30 * 86_400_000;

/** @param onOffer receives questions before they are asked. Must not throw. */
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
