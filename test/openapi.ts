/** `npm run openapi`: writes docs/openapi.yaml from the shapes that the program itself checks frames and bodies by. */
import fs from 'node:fs';
import path from 'node:path';
import { stringify } from 'yaml';
import { z } from 'zod';
import { COMMANDS, type CommandType } from '../src/board/protocol/schemas.ts';

const NAMES: Record<CommandType, string> = {
  'task:submit': 'TaskSubmit',
  'task:message': 'TaskMessage',
  'task:stop': 'TaskStop',
  'task:change': 'TaskChange',
  interrupt: 'Interrupt',
  message: 'UserMessage',
  'job:create': 'JobCreate',
  'task:subscribe': 'TaskSubscribe',
  'task:unsubscribe': 'TaskUnsubscribe',
  'approval:decide': 'ApprovalDecide',
  'memory:decide': 'MemoryDecide',
  'plan:write': 'PlanWrite',
  'file:write': 'FileWrite',
  'artifact:get': 'ArtifactGet',
  upload: 'UploadPiece',
  ping: 'Ping',
};

// biome-ignore format: a row is a line
const error = {
  type: 'object',
  required: ['error'],
  properties: { error: { type: 'object', required: ['code', 'message'], properties: { code: { type: 'string' }, message: { type: 'string' }, field: { type: 'string' } } } },
};

const inPath = (...names: string[]) =>
  names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
const inQuery = (...names: string[]) => names.map((name) => ({ name, in: 'query', schema: { type: 'string' } }));
const key = { name: 'Idempotency-Key', in: 'header', schema: { type: 'string', maxLength: 128 } };
const refused = {
  description: 'Refused',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
};

function get(summary: string, parameters: object[] = [], type = 'application/json') {
  return {
    summary,
    parameters,
    responses: { 200: { description: 'Found', content: { [type]: {} } }, default: refused },
  };
}

/** What stands in the path need not stand in the body. */
function twin(type: CommandType, status: number, parameters: object[] = []) {
  const schema = { $ref: `#/components/schemas/${NAMES[type]}` };
  return {
    summary: type,
    parameters: [...parameters, key],
    requestBody: { content: { 'application/json': { schema } } },
    responses: { [status]: { description: 'Durable', content: { 'application/json': {} } }, default: refused },
  };
}

/** A change for owners; docs/board.md says what its body holds. */
const change = (summary: string, parameters: object[] = []) => ({
  summary,
  parameters,
  requestBody: { content: { 'application/json': {} } },
  responses: { 200: { description: 'Done', content: { 'application/json': {} } }, default: refused },
});

const task = inPath('id');
const schemas = Object.fromEntries(
  Object.entries(COMMANDS).map(([type, schema]) => {
    const { $schema: _schema, ...shape } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
    return [NAMES[type as CommandType], shape];
  }),
);

/** What the Board's own page asks; docs/board.md says who may. */
// biome-ignore format: a row is a line
const boardPaths: Record<string, Record<string, object>> = {
  '/api/me': { get: get('Who asks, their role and conversation') },
  '/api/find/messages': { get: get('What was said, by its words', inQuery('q', 'viber')) },
  '/api/composer': { get: get('Commands, models and levels of thinking', inQuery('task')) },
  '/api/approvals': { get: get('Open questions', inQuery('after')) },
  '/api/tasks/{id}/trace': { get: get('What happened, the newest first', [...task, ...inQuery('after')]) },
  '/api/tasks/{id}/cost': { get: get('What it used', task) },
  '/api/tasks/{id}/context': { get: get('What a run now would be given', task) },
  '/api/tasks/{id}/why': { get: get('An answer explained', [...task, ...inQuery('run')]) },
  '/api/files': { get: get('Files and daily logs of a viber', inQuery('viber', 'after')) },
  '/api/files/{name}': {
    get: get('A file and its hash', [...inPath('name'), ...inQuery('viber')]),
    put: change('Write it, if it still has the hash', [...inPath('name'), ...inQuery('viber')]),
  },
  '/api/jobs/check': { post: change('What the loader makes of a text') },
  '/api/jobs/{id}': { get: get('A job, its text and hash', task), put: change('Write it, if it still has the hash', task), delete: change('Remove it', task) },
  '/api/jobs/{id}/run': { post: change('Run it now', task) },
  '/api/jobs/{id}/pause': { post: change('Pause it', task) },
  '/api/jobs/{id}/resume': { post: change('Go on with it', task) },
  '/api/memory': { get: get('Memory and suggestions', inQuery('viber', 'after')) },
  '/api/memory/search': { get: get('Memory by its words or meaning', inQuery('q', 'viber')) },
  '/api/memory/suggestions/{id}': { post: change('Decide about a suggestion', [...task, ...inQuery('viber')]) },
  '/api/memory/undo': { post: change('Undo the last change', inQuery('viber')) },
  '/api/receipt': { get: get('What became of messages in the last seven days') },
  '/api/health': { get: get('The state of channels, workspace and queues') },
  '/api/letters': { get: get('Messages and answers that were given up', inQuery('kind', 'after')) },
  '/api/letters/retry': { post: change('Send all of them again') },
  '/api/letters/{id}/retry': { post: change('Send one again', task) },
  '/api/usage': { get: get('Sums of at most 100 days', inQuery('from', 'to', 'afterModel', 'afterPerson', 'afterTask')) },
  '/api/logs': { get: get('The last 1,000 lines', inQuery('trace', 'level', 'after')) },
  '/api/people': { get: get('People, links and logins', inQuery('after', 'afterLink')) },
  '/api/pairing/{code}': { post: change('Let somebody in who waits, or not', inPath('code')) },
  '/api/agents': { get: get('Vibers and playbooks') },
  '/api/config': { get: get('The configuration without secrets') },
  '/api/skills': { get: get('Skills of a viber', inQuery('viber', 'after')) },
  '/api/skills/{name}': { get: get('A skill', [...inPath('name'), ...inQuery('viber')]) },
  '/api/setup/skills/look': { post: change('What a source offers') },
  '/api/setup/skills/updates': { post: change('Which skills have a newer version') },
  '/api/setup/skills/offers/{offer}': { post: change('Add what was offered', inPath('offer')) },
  '/api/setup/skills/{skill}': { delete: change('Remove a skill', inPath('skill')) },
  '/api/mcp': { get: get('Tool servers') },
  '/api/mcp/{server}/login': { post: change('Begin a login', inPath('server')), delete: change('End a login', inPath('server')) },
  '/api/setup': { get: get('The settings, for owners'), put: change('Change settings') },
  '/api/setup/restart': { post: change('Restart the gateway') },
  '/api/setup/models': { get: get('Providers and models') },
  '/api/setup/model': { post: change('Test a model, and use it') },
  '/api/setup/chats': { get: get('Chat platforms and whether they are set up') },
  '/api/setup/chats/{chat}': { post: change('Check tokens, and add a chat platform', inPath('chat')) },
  '/api/setup/chats/{chat}/join': { post: change('How the caller links an account there', inPath('chat')) },
  '/api/setup/chats/{chat}/people': { get: get('Who has written there and waits', inPath('chat')) },
  '/api/setup/owners/{code}': { post: change('Make somebody who waits an owner', inPath('code')) },
  '/api/setup/mcp': { post: change('Add a tool server') },
  '/api/setup/mcp/{server}': { delete: change('Remove a tool server', inPath('server')) },
  '/api/setup/backups': { get: get('Backups'), post: change('Make a backup') },
  '/api/setup/update': { get: get('Whether there is a newer version') },
  '/api/push': {
    get: get('Whether this login has notifications, and the key to subscribe with'),
    put: change('Subscribe: endpoint and keys, as the browser has them'),
    delete: change('End the subscription'),
  },
  '/api/push/test': { post: change('Send a notification to this login') },
  '/api/push/news': { get: get('What a notification shows', inQuery('kind')) },
};

// biome-ignore format: a row is a line
const document = {
  openapi: '3.1.0',
  info: { title: 'OpenViber gateway', version: '1', description: 'docs/protocol.md says what each does. Written by npm run openapi.' },
  servers: [{ url: 'http://127.0.0.1:6009' }],
  security: [{ bearer: [] }],
  'x-commands': NAMES,
  paths: {
    '/api/tasks': { get: get('Tasks, the newest first', inQuery('after', 'state', 'channel', 'project', 'archived')), post: twin('task:submit', 202) },
    '/api/find': { get: get('Tasks and files by their words', inQuery('q')) },
    '/api/tasks/{id}': { get: get('One task with its plan and files', task), put: twin('task:change', 200, task) },
    '/api/tasks/{id}/messages': { get: get('What was said, the newest hundred', [...task, ...inQuery('after')]), post: twin('task:message', 202, task) },
    '/api/tasks/{id}/stop': { post: twin('task:stop', 200, task) },
    '/api/tasks/{id}/plan': { put: twin('plan:write', 200, task) },
    '/api/tasks/{id}/events': { get: get('Events until the run has ended; 204 when all of them were heard', [...task, ...inQuery('live', 'after')], 'text/event-stream') },
    '/api/messages': { post: twin('message', 202) },
    '/api/interrupt': { post: twin('interrupt', 200) },
    '/api/approvals/{approval}': { post: twin('approval:decide', 200, inPath('approval')) },
    '/api/chat': {
      post: {
        summary: 'The UI message stream of the AI SDK',
        requestBody: { content: { 'application/json': {} } },
        responses: { 200: { description: 'The answer as it comes', content: { 'text/event-stream': {} } }, default: refused },
      },
    },
    '/api/chat/{id}/stream': { get: get('What is under way in a chat; 204 when there is nothing', task, 'text/event-stream') },
    '/api/jobs': { get: get('Jobs with their next times'), post: twin('job:create', 201) },
    '/api/uploads': {
      post: {
        summary: 'A file for a message that is still to come',
        parameters: inQuery('name'),
        requestBody: { content: { 'application/octet-stream': {} } },
        responses: { 201: { description: 'Kept', content: { 'application/json': {} } }, default: refused },
      },
    },
    '/api/artifacts/{taskId}/{file}': { get: get('A file of a task', inPath('taskId', 'file'), '*/*') },
    ...Object.fromEntries(
      Object.entries(boardPaths).map(([name, methods]) => [name, Object.fromEntries(Object.entries(methods).map(([method, about]) => [method, { tags: ['Board'], ...about }]))]),
    ),
  },
  components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } }, schemas: { ...schemas, Error: error } },
};

const file = path.join(import.meta.dirname, '..', 'docs', 'openapi.yaml');
fs.writeFileSync(file, stringify(JSON.parse(JSON.stringify(document)), { aliasDuplicateObjects: false, lineWidth: 0 }));
