/**
 * Encodes a form to the bytes that are sent. Invariants: `fetch` gets these, never the form, and the form's files are
 * in memory. The library keeps filling the stream of a form whose request was aborted, and stops where a file can't be
 * read. Both end in a rejection that nobody can catch, and in the second case the request never ends. The form is held
 * in memory either way.
 */

export interface FormBytes {
  bytes: Uint8Array<ArrayBuffer>;
  /** The content type, with the boundary. */
  type: string;
}

export async function formBytes(form: FormData): Promise<FormBytes> {
  const encoded = new Response(form);
  return {
    bytes: new Uint8Array(await encoded.arrayBuffer()),
    type: encoded.headers.get('content-type') ?? 'multipart/form-data',
  };
}
