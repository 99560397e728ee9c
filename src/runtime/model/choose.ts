/** Reads and changes a conversation's choice of model and thinking, by command or in words. */
import type { Address } from '../../channels/channel.ts';
import { type Messages, sentences, type Text } from '../../messages/messages.ts';
import type { Thinking } from '../contract/settings.ts';
import { levelOf, type ModelChoices } from './choices.ts';
import { costText, levelName } from './words.ts';

/** `usual` counts as a choice: it overrides what was chosen for the chat around a thread. */
export interface ChosenModel {
  model?: string;
  thinking?: Thinking | 'usual';
}

interface ChoiceAt {
  models: ModelChoices;
  settings: { get(address: Address): ChosenModel };
  address: Address;
}

export interface Choosing extends ChoiceAt {
  settings: ChoiceAt['settings'] & { set(address: Address, patch: ChosenModel): Promise<void> };
  isOwner: boolean;
  messages: Messages;
}

export const USUAL = 'usual';

/** Returns the model and thinking level in effect. Ignores a chosen model that can no longer be used. */
export function chosenAt({ models, settings, address }: ChoiceAt) {
  const { model, thinking } = settings.get(address);
  const isUsual = model === undefined || model === USUAL || !models.isUsable(model);
  const now = isUsual ? models.usual() : models.about(model);
  return { model: now, isUsual, thinking: thinking === USUAL ? undefined : thinking };
}

/** @param words a name, a part of one, or `usual` */
export async function setModel(words: string, to: Choosing): Promise<{ text: Text; isDone: boolean }> {
  const { models, settings, address, isOwner, messages } = to;
  const found = models.find(words, isOwner);
  if (found.kind === 'unknown')
    return { text: messages.text('models.unknown', { words: quotable(words) }), isDone: false };
  if (found.kind === 'not-yours')
    return { text: messages.text('models.notYours', { name: found.model.name }), isDone: false };
  if (found.kind === 'unusable')
    return { text: messages.text('models.unusable', { id: quotable(found.id), why: found.why }), isDone: false };
  const model = found.kind === 'usual' ? models.usual() : found.model;
  const { thinking } = chosenAt(to);
  const loses = thinking !== undefined && !levelOf(thinking, model).ok;
  await settings.set(address, {
    model: found.kind === 'usual' ? USUAL : model.id,
    ...(loses && { thinking: USUAL }),
  });
  const values = { name: model.name, id: model.id, cost: costText(model, models.currency, messages) };
  const text = messages.text(found.kind === 'usual' ? 'models.usual' : 'models.changed', values);
  const lost = loses ? messages.text('models.noLevel', { level: levelName(thinking, messages) }) : '';
  return { text: sentences(text, lost), isDone: true };
}

/** Returns the confirmation, or why the level isn't possible. */
export async function setThinking(level: Thinking | typeof USUAL, to: Choosing): Promise<Text> {
  const { settings, address, messages } = to;
  const { model } = chosenAt(to);
  if (level !== USUAL) {
    const fits = levelOf(level, model);
    if (!fits.ok && fits.levels.length === 0) return messages.text('models.cannotChoose', { name: model.name });
    if (!fits.ok) {
      const levels = messages.list(fits.levels, 'or');
      return messages.text('models.cannotThink', { name: model.name, level, levels });
    }
  }
  await settings.set(address, { thinking: level });
  if (level === USUAL) return messages.text('models.thinkUsual', { name: model.name });
  return messages.text('models.thinkChanged', { level: levelName(level, messages) });
}

/** Shortens a person's words for use in our sentence and removes Markdown. */
const quotable = (words: string): string =>
  words
    .replace(/[\\`*_~[\]<>|"]/g, ' ')
    .trim()
    .slice(0, 60);
