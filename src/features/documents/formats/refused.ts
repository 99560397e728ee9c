/** The error for a document that can't be read. Its message is one sentence for the model, which tells the person. */
export class DocumentError extends Error {
  override name = 'DocumentError';
}

export const DAMAGED = 'The file is damaged.';
export const ENCRYPTED = 'The file is protected with a password.';
export const EMPTY = 'There is no text in it.';
