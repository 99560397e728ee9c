/** The emulated homeserver refuses what a real one refuses: https://spec.matrix.org/latest/client-server-api/ */
import { expect, it, onTestFinished } from 'vitest';
import { startHomeserver } from './homeserver.ts';
import { isJson, SERVER } from './store.ts';

const ALEX = `@alex:${SERVER}`;
const ROOM = `!room:${SERVER}`;

async function start() {
  const homeserver = await startHomeserver();
  onTestFinished(() => homeserver.close());
  const { store, bot, token, url } = homeserver;
  store.addUser('alex', 'Alex');
  store.createRoom(ROOM, ALEX);
  store.setMember(ROOM, bot, 'invite', { by: ALEX });
  const call = async (method: string, path: string, body?: unknown, auth = `Bearer ${token}`) => {
    const response = await fetch(`${url}${path}`, {
      ...{ method, headers: auth === '' ? {} : { authorization: auth } },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const json: unknown = await response.json();
    return { status: response.status, wait: response.headers.get('retry-after'), json: isJson(json) ? json : {} };
  };
  return { homeserver, call, store, bot };
}

const V3 = '/_matrix/client/v3';
const SEND = `${V3}/rooms/${encodeURIComponent(ROOM)}/send/m.room.message`;
const text = (body: string) => ({ msgtype: 'm.text', body, 'm.mentions': {} });

it('knows its token, its paths and JSON', async () => {
  const { call } = await start();
  const code = async (...given: Parameters<typeof call>) => {
    const { status, json } = await call(...given);
    return [status, json.errcode];
  };
  expect(await code('GET', `${V3}/account/whoami`, undefined, '')).toEqual([401, 'M_MISSING_TOKEN']);
  expect(await code('GET', `${V3}/account/whoami`, undefined, 'Bearer other')).toEqual([401, 'M_UNKNOWN_TOKEN']);
  expect(await code('GET', `${V3}/nothing`)).toEqual([404, 'M_UNRECOGNIZED']);
  expect(await code('POST', `${V3}/rooms/${encodeURIComponent(ROOM)}/join`, '{')).toEqual([400, 'M_NOT_JSON']);
  expect(await code('PUT', `${SEND}/t1`, text('not in the room'))).toEqual([403, 'M_FORBIDDEN']);
  expect(await code('GET', `${V3}/sync?since=nonsense`)).toEqual([400, 'M_INVALID_PARAM']);
  expect(await code('GET', `${V3}/sync?filter=nonsense`)).toEqual([400, 'M_NOT_JSON']);
});

it('takes an event once for each key, says when there are too many, and notes what breaks the rules', async () => {
  const { homeserver, call } = await start();
  await call('POST', `${V3}/rooms/${encodeURIComponent(ROOM)}/join`, {});
  const first = await call('PUT', `${SEND}/t1`, text('one'));
  expect(await call('PUT', `${SEND}/t1`, text('one'))).toEqual(first);
  homeserver.fault({ kind: 'rate-limit', times: 1, seconds: 2 });
  expect(await call('PUT', `${SEND}/t2`, text('two'))).toMatchObject({ status: 429, wait: '2' });
  expect(await call('PUT', `${SEND}/t2`, text('x'.repeat(70_000)))).toMatchObject({ status: 413 });
  expect(homeserver.problems).toEqual([]);
  const wrong = [
    { msgtype: 'm.text', body: 'no mentions' },
    { ...text(''), msgtype: 'm.text' },
    { ...text('x'), format: 'org.matrix.custom.html', formatted_body: '<script>x</script>' },
    { ...text('x'), format: 'org.matrix.custom.html', formatted_body: '<b>open' },
    { ...text('x'), format: 'org.matrix.custom.html', formatted_body: '<a href="javascript:x">x</a>' },
    { ...text('x'), msgtype: 'm.file', url: 'mxc://elsewhere/x' },
    { ...text('* x'), 'm.relates_to': { rel_type: 'm.replace', event_id: first.json.event_id } },
  ];
  for (const [n, content] of wrong.entries()) await call('PUT', `${SEND}/wrong${n}`, content);
  expect(homeserver.problems).toHaveLength(wrong.length);
});

it('holds a poll until something happens, and leaves out what is too much', async () => {
  const { call, store, bot } = await start();
  const filter = encodeURIComponent(JSON.stringify({ room: { timeline: { limit: 3, types: ['m.room.message'] } } }));
  const begun = await call('GET', `${V3}/sync?filter=${filter}`);
  expect(begun.json).toMatchObject({ rooms: { invite: { [ROOM]: {} }, join: {} } });
  await call('POST', `${V3}/rooms/${encodeURIComponent(ROOM)}/join`, {});
  const since = String(
    (await call('GET', `${V3}/sync?filter=${filter}&since=${begun.json.next_batch}`)).json.next_batch,
  );
  const poll = call('GET', `${V3}/sync?filter=${filter}&since=${since}&timeout=60000`);
  store.add(ROOM, ALEX, { type: 'm.room.message', content: text('1') });
  const one = await poll;
  for (const n of [2, 3, 4, 5]) store.add(ROOM, ALEX, { type: 'm.room.message', content: text(`${n}`) });
  const rest = await call('GET', `${V3}/sync?filter=${filter}&since=${since}&timeout=60000`);
  expect(JSON.stringify(one.json)).toContain('"body":"1"');
  const timeline = Object.values(Object(Object(rest.json.rooms).join))[0];
  expect(timeline).toMatchObject({ timeline: { limited: true, events: [{}, {}, {}] } });
  const to = Object(Object(timeline).timeline).prev_batch;
  const path = `${V3}/rooms/${encodeURIComponent(ROOM)}/messages`;
  const gap = await call('GET', `${path}?dir=f&from=${since}&to=${to}&limit=100`);
  expect(gap.json.chunk).toMatchObject([{ content: { body: '1' } }, { content: { body: '2' } }]);
  expect(gap.json.end).toBeUndefined();
  const none = await call('GET', `${V3}/sync?since=${rest.json.next_batch}&timeout=50`);
  expect(none.json).toEqual({ next_batch: rest.json.next_batch });
  expect(store.membershipOf(store.roomOf(ROOM), bot)).toBe('join');
});
