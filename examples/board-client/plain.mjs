/**
 * A whole client of the protocol without a library: `node plain.mjs`. It submits a goal, prints the answer as it grows,
 * and fetches the files. VIBER_URL is the gateway's address (ws://127.0.0.1:6009/ws), VIBER_TOKEN the token
 * (`http.token`, or a client's).
 */
import process from 'node:process';

const { VIBER_URL: URL = 'ws://127.0.0.1:6009/ws', VIBER_TOKEN: TOKEN } = process.env;
const print = (text) => process.stdout.write(text);

const socket = new WebSocket(URL, { headers: { authorization: `Bearer ${TOKEN}` } });
const waiting = new Map();
let cursor, mine;
const result = new Promise((resolve, reject) => {
  socket.onmessage = ({ data }) => {
    const frame = JSON.parse(data);
    cursor = frame.cursor ?? cursor;
    if (frame.type === 'ack') {
      mine ??= frame.taskId;
      waiting.get(frame.id)?.(frame);
    }
    // A client is sent the events of all its tasks; each event names its own.
    if (frame.taskId !== mine) return;
    if (frame.type === 'task:progress' && frame.event.type === 'text-delta') print(frame.event.content);
    if (frame.type === 'task:completed') resolve(frame);
    if (frame.type === 'task:error') reject(new Error(frame.error.message));
  };
});
function command(frame) {
  const id = crypto.randomUUID();
  socket.send(JSON.stringify({ ...frame, id }));
  return new Promise((resolve) => waiting.set(id, resolve));
}
await new Promise((resolve) => {
  socket.onopen = resolve;
});
const ack = await command({ type: 'task:submit', goal: 'Write the release notes', messages: [], live: 'text' });
if (!ack.ok) throw new Error(ack.error.message);
const { runId, result: answer } = await result;
print(`\n${answer.text} (${ack.taskId}, ${runId})\n`);
for (const { ref } of answer.artifactRefs) {
  const parts = [];
  for (let offset = 0; offset !== undefined; ) {
    const piece = await command({ type: 'artifact:get', ref, offset });
    parts.push(Buffer.from(piece.data, 'base64'));
    offset = piece.next;
  }
  print(Buffer.concat(parts).toString());
}
socket.close();
