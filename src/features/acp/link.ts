/** The connection between an editor and the gateway. */
import type { ViberClient } from '../../client/client.ts';
import type { Messages } from '../../messages/messages.ts';
import type { PromptFile } from './prompt.ts';
import type { EditorRequest } from './requests.ts';
import { NOT_FOUND, type Peer, RpcError } from './rpc.ts';

export interface Link {
  peer: Peer;
  client: ViberClient;
  web: GatewayWeb;
  messages: Messages;
  /** Asks the gateway over its socket. */
  ask(request: EditorRequest): Promise<Readonly<Record<string, unknown>>>;
}

/** Reads and writes what the protocol serves over HTTP. */
export class GatewayWeb {
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(base: string, token: string) {
    this.#base = base;
    this.#headers = { authorization: `Bearer ${token}` };
  }

  /** @throws RpcError with the gateway's own message */
  async get(path: string): Promise<unknown> {
    return this.#read(await fetch(`${this.#base}${path}`, { headers: this.#headers }));
  }

  /** Returns the file's ref. | @throws RpcError */
  async upload({ name, type, bytes }: PromptFile): Promise<string> {
    const response = await fetch(`${this.#base}/api/uploads?name=${encodeURIComponent(name)}`, {
      method: 'POST',
      headers: { ...this.#headers, 'content-type': type },
      body: new Uint8Array(bytes),
    });
    const { ref } = (await this.#read(response)) as { ref: string };
    return ref;
  }

  /** The URL of a file, which needs the token. */
  addressOf(ref: string): string {
    return /^https?:\/\//.test(ref) ? ref : `${this.#base}/api/${ref}`;
  }

  async #read(response: Response): Promise<unknown> {
    const body = (await response.json()) as { error?: { message: string } };
    if (!response.ok) throw new RpcError(NOT_FOUND, body.error?.message ?? response.statusText);
    return body;
  }
}
