/** What the message box offers (commands, models, levels of thinking), and drafts from other parts of the page. */
import { signal } from '@preact/signals';
import type { Artifact, Composing } from '../../../client/shapes.ts';
import { of, type Resource, useResource } from './resource.ts';

/** A notice may mean that a command has changed the model. */
const CONCERNS = of('notice');

export const useComposing = (taskId: string | undefined): Resource<Composing> =>
  useResource<Composing>(`/api/composer${taskId === undefined ? '' : `?task=${encodeURIComponent(taskId)}`}`, CONCERNS);

export interface Draft {
  about: string;
  text: string;
  files: readonly Artifact[];
}
/** The draft for one message box, which takes it. */
export const handedDraft = signal<Draft | undefined>(undefined);
