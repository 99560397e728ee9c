/** The client against a gateway of a few lines that loses connections, acknowledgements and answers as it is told to. */

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { type WebSocket as ServerSocket, WebSocketServer } from 'ws';
import { type EventFrame, ViberClient, type ViberClientOptions } from '../../src/client/client.ts';
import { quiet } from '../kit/quiet.ts';

type Frame = Record<string, unknown> & { type: string; id: string };

class Gateway {
  readonly server: WebSocketServer;
  /** What came, with the number of its connection. */
  readonly frames: { connection: number; frame: Frame }[] = [];
  readonly headers: (string | undefined)[] = [];
  socket: ServerSocket | undefined;
  connections = 0;
  onFrame: (frame: Frame, socket: ServerSocket) => void = () => undefined;
  greets = true;

  constructor(port = 0) {
    this.server = new WebSocketServer({ port, host: '127.0.0.1' });
    this.server.on('connection', (socket, request) => {
      this.connections += 1;
      const connection = this.connections;
      this.socket = socket;
      this.headers.push(request.headers.authorization);
      socket.on('message', (data) => {
        const frame = JSON.parse(String(data));
        this.frames.push({ connection, frame });
        this.onFrame(frame, socket);
      });
      const viber = { id: 'default', version: '1', runningTasks: [] };
      if (this.greets) this.say({ type: 'connected', protocol: 1, viber, cursor: 'e.1' });
    });
  }

  say(frame: object): void {
    this.socket?.send(JSON.stringify(frame));
  }

  async url(): Promise<string> {
    if (!this.server.address()) await once(this.server, 'listening');
    return `ws://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  sent(type: string): Frame[] {
    return this.frames.map(({ frame }) => frame).filter((frame) => frame.type === type);
  }

  close(): void {
    for (const socket of this.server.clients) socket.terminate();
    this.server.close();
  }
}

const open: (Gateway | ViberClient)[] = [];
afterEach(() => {
  for (const one of open.splice(0)) one.close();
});

async function start(options: Partial<ViberClientOptions> = {}) {
  const gateway = new Gateway();
  const client = new ViberClient({ url: await gateway.url(), maxWaitMs: 20, ...options });
  open.push(gateway, client);
  const events: EventFrame[] = [];
  client.onEvent((event) => events.push(event));
  return { gateway, client, events };
}
const acknowledge = (gateway: Gateway, more: object = {}) => {
  gateway.onFrame = ({ id }) => gateway.say({ type: 'ack', id, ok: true, ...more });
};
const completed = (runId: string, cursor: string) => ({
  ...{ type: 'task:completed', taskId: 't1', runId, cursor },
  result: { text: 'Done.', summary: 'Done.', artifactRefs: [] },
});

describe('commands', () => {
  test('go out with the token and are answered by their acknowledgement', async () => {
    const { gateway, client } = await start({ token: 'secret' });
    acknowledge(gateway, { taskId: 't1' });
    expect(await client.send({ type: 'task:submit', goal: 'Hello' }, 'a')).toMatchObject({ ok: true, taskId: 't1' });
    expect(gateway.headers).toEqual(['Bearer secret']);
    expect(gateway.sent('task:submit')).toEqual([{ type: 'task:submit', goal: 'Hello', id: 'a' }]);
  });

  test('go out again, in their order and under their ids, until they are acknowledged', async () => {
    const { gateway, client } = await start();
    gateway.onFrame = ({ id }, socket) => {
      if (gateway.connections < 4) socket.terminate();
      else gateway.say({ type: 'ack', id, ok: true });
    };
    await Promise.all([
      client.send({ type: 'message', content: '1' }, 'a'),
      client.send({ type: 'message', content: '2' }, 'b'),
    ]);
    const last = gateway.frames.filter(({ connection }) => connection === 4).map(({ frame }) => frame.id);
    expect(last).toEqual(['a', 'b']);
    expect(new Set(gateway.sent('message').map(({ id }) => id))).toEqual(new Set(['a', 'b']));
  });

  test('that are refused reject with the code and the field', async () => {
    const { gateway, client } = await start();
    gateway.onFrame = ({ id }) =>
      gateway.say({
        type: 'ack',
        id,
        ok: false,
        error: { code: 'bad_frame', message: 'goal is missing', field: 'goal' },
      });
    await expect(client.send({ type: 'task:submit' })).rejects.toMatchObject({ code: 'bad_frame', field: 'goal' });
  });

  test('wait for the first connection and are rejected when the client is closed', async () => {
    const { gateway, client } = await start();
    gateway.greets = false;
    const sent = client.send({ type: 'message', content: 'x' });
    client.close();
    await expect(sent).rejects.toMatchObject({ code: 'closed' });
    await expect(client.send({ type: 'message' })).rejects.toMatchObject({ code: 'closed' });
  });
});

describe('the connection', () => {
  test.each([4400, 4401, 4403])('is not tried again after %i', async (code) => {
    const { gateway, client } = await start();
    const sent = client.send({ type: 'message', content: 'x' });
    gateway.onFrame = (_frame, socket) => socket.close(code);
    await expect(sent).rejects.toMatchObject({ code: 'refused', message: expect.stringContaining('http.token') });
    await quiet();
    expect([client.state, gateway.connections]).toEqual(['refused', 1]);
  });

  test('is tried again for as long as nobody is there', async () => {
    const { gateway, client } = await start();
    const port = Number(new URL(await gateway.url()).port);
    const states: string[] = [];
    client.onState((state) => states.push(state));
    gateway.close();
    await expect.poll(() => states.filter((state) => state === 'waiting').length).toBeGreaterThan(2);
    const again = new Gateway(port);
    open.push(again);
    acknowledge(again);
    expect(await client.send({ type: 'message', content: 'x' })).toMatchObject({ ok: true });
  });

  test('says the key of the Board first, with where it stopped', async () => {
    const { gateway } = await start({ key: 'k', cursor: 'e.7' });
    await expect.poll(() => gateway.sent('auth')).toEqual([{ type: 'auth', key: 'k', after: 'e.7' }]);
  });
});

describe('events', () => {
  test('come in their order, the end of a run once, and what is followed is followed again from where it was left', async () => {
    const { gateway, client, events } = await start();
    acknowledge(gateway);
    await client.follow(['t1'], 'text');
    gateway.say({ type: 'task:started', taskId: 't1', runId: 'r1', cursor: 'e.2' });
    gateway.say(completed('r1', 'e.3'));
    await expect.poll(() => events.length).toBe(2);
    gateway.socket?.terminate();
    await expect.poll(() => gateway.sent('task:subscribe').length).toBe(2);
    expect(gateway.sent('task:subscribe')[1]).toMatchObject({ taskIds: ['t1'], live: 'text', after: 'e.3' });
    gateway.say(completed('r1', 'e.3'));
    gateway.say(completed('r2', 'e.9'));
    await expect.poll(() => client.cursor).toBe('e.9');
    expect(events.map((event) => ('runId' in event ? event.runId : ''))).toEqual(['r1', 'r1', 'r2']);
  });

  test('a run that ended while its acknowledgement was lost is found', async () => {
    const { gateway, client } = await start();
    gateway.onFrame = ({ type, id, taskIds, after }, socket) => {
      if (gateway.connections === 1) socket.terminate();
      else gateway.say({ type: 'ack', id, ok: true, taskId: 't1' });
      // Only who asks from before it is told.
      if (type === 'task:subscribe' && String(taskIds) === 't1' && after === 'e.1') gateway.say(completed('r1', 'e.5'));
    };
    await expect.poll(() => client.cursor).toBe('e.1');
    expect(await client.run({ goal: 'Hello' })).toMatchObject({ taskId: 't1', runId: 'r1', result: { text: 'Done.' } });
  });

  test('an end that comes before the acknowledgement counts', async () => {
    const { gateway, client } = await start();
    gateway.onFrame = ({ type, id }) => {
      if (type === 'task:submit') gateway.say(completed('r1', 'e.5'));
      gateway.say({ type: 'ack', id, ok: true, taskId: 't1' });
    };
    expect(await client.run({ goal: 'Hello' })).toMatchObject({ runId: 'r1' });
  });

  test.each([
    [{ type: 'task:error', taskId: 't1', runId: 'r1', error: { message: 'No model.', trace: 'r1' } }, 'failed'],
    [{ type: 'task:state', taskId: 't1', state: 'stopped' }, 'stopped'],
  ])('%o rejects what waits for the run', async (event, code) => {
    const { gateway, client } = await start();
    gateway.onFrame = ({ type, id }) => {
      gateway.say({ type: 'ack', id, ok: true, taskId: 't1' });
      if (type === 'task:subscribe') gateway.say(event);
    };
    await expect(client.run({ goal: 'Hello' })).rejects.toMatchObject({ code });
  });

  test('two runs at once end with their own ends, in every order in which these come', async () => {
    for (const order of [
      ['t1', 't2'],
      ['t2', 't1'],
    ]) {
      const { gateway, client } = await start();
      let submitted = 0;
      gateway.onFrame = ({ id, type }) => {
        if (type === 'task:submit') submitted += 1;
        gateway.say({ type: 'ack', id, ok: true, ...(type === 'task:submit' && { taskId: `t${submitted}` }) });
      };
      await client.follow(['t1'], 'text');
      const runs = [client.run({ goal: 'one' }), client.run({ goal: 'two' })];
      await expect.poll(() => gateway.sent('task:subscribe').length).toBe(3);
      for (const [at, taskId] of order.entries())
        gateway.say({
          ...completed(`r-${taskId}`, `e.${at + 2}`),
          taskId,
          result: { text: taskId, summary: '', artifactRefs: [] },
        });
      expect((await Promise.all(runs)).map(({ taskId, runId, result }) => [taskId, runId, result.text])).toEqual([
        ['t1', 'r-t1', 't1'],
        ['t2', 'r-t2', 't2'],
      ]);
      // What was followed before the run, and what was begun here, is told of on a later connection too.
      gateway.socket?.terminate();
      await expect.poll(() => gateway.sent('task:subscribe').length).toBe(5);
      expect(
        gateway
          .sent('task:subscribe')
          .slice(3)
          .map(({ taskIds, live }) => [taskIds, live]),
      ).toEqual([
        [['t1'], 'text'],
        [['t2'], undefined],
      ]);
    }
  });
});
