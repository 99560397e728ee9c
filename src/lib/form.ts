/**
 * A form as the bytes that are sent. Invariants: `fetch` is given these, never the form, and the form's files are in memory. Its library
 * goes on filling the stream of a form whose request was broken off, and stops where a file cannot be read: both end in a rejection
 * that nobody can catch, the second without an end of the request. It holds the form whole in memory either way.
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
