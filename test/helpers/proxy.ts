/**
 * A proxy between a program and a server, which can fail: it cuts every socket at once, or silently lets nothing
 * through.
 */
import { once } from 'node:events';
import net from 'node:net';
import { onTestFinished } from 'vitest';

export interface Proxy {
  port: number;
  /** Ends all connections; new ones work. */
  cut(): void;
  /** Keeps all connections, including new ones, but lets nothing through until the next cut. */
  freeze(): void;
  /**
   * Lets the next request with this text through, but cuts the socket instead of returning the reply. Resolves then.
   */
  loseReplyTo(text: string): Promise<void>;
}

export async function startProxy(to: number): Promise<Proxy> {
  const pairs = new Set<readonly [net.Socket, net.Socket]>();
  let isFrozen = false;
  let lost: { text: string; resolve: () => void } | undefined;
  const server = net.createServer((near) => {
    const far = net.connect(to, '127.0.0.1');
    const pair = [near, far] as const;
    pairs.add(pair);
    let isAsked = false;
    near.prependListener('data', (data) => {
      isAsked ||= lost !== undefined && data.includes(lost.text);
    });
    far.prependListener('data', (data) => {
      // A server that doesn't know the script has done nothing.
      if (!isAsked || !lost || data.includes('NOSCRIPT')) return;
      far.removeAllListeners('data');
      near.resetAndDestroy();
      far.destroy();
      lost.resolve();
      lost = undefined;
    });
    for (const [from, into] of [pair, [far, near] as const]) {
      from.on('data', (data) => !isFrozen && into.write(data));
      from.on('error', () => into.destroy());
      from.on('close', () => {
        into.destroy();
        pairs.delete(pair);
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    isFrozen = false;
    for (const [near, far] of pairs) {
      near.resetAndDestroy();
      far.destroy();
    }
  };
  onTestFinished(() => {
    server.close();
    cut();
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    cut,
    freeze: () => {
      isFrozen = true;
    },
    loseReplyTo: (text) => new Promise((resolve) => (lost = { text, resolve })),
  };
}
