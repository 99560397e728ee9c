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

const error = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: { code: { type: 'string' }, message: { type: 'string' }, field: { type: 'string' } },
    },
  },
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

const task = inPath('id');
const schemas = Object.fromEntries(
  Object.entries(COMMANDS).map(([type, schema]) => {
    const { $schema: _schema, ...shape } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
    return [NAMES[type as CommandType], shape];
  }),
);

const document = {
  openapi: '3.1.0',
  info: {
    title: 'OpenViber gateway',
    version: '1',
    description: 'docs/protocol.md says what each does. Written by npm run openapi.',
  },
  servers: [{ url: 'http://127.0.0.1:6009' }],
  security: [{ bearer: [] }],
  'x-commands': NAMES,
  paths: {
    '/api/tasks': {
      get: get('Tasks, the newest first', inQuery('after', 'state', 'channel')),
      post: twin('task:submit', 202),
    },
    '/api/tasks/{id}': { get: get('One task with its plan and files', task) },
    '/api/tasks/{id}/messages': {
      get: get('What was said, the newest hundred', [...task, ...inQuery('after')]),
      post: twin('task:message', 202, task),
    },
    '/api/tasks/{id}/stop': { post: twin('task:stop', 200, task) },
    '/api/tasks/{id}/plan': { put: twin('plan:write', 200, task) },
    '/api/tasks/{id}/events': {
      get: get(
        'Events until the run has ended; 204 when all of them were heard',
        [...task, ...inQuery('live', 'after')],
        'text/event-stream',
      ),
    },
    '/api/messages': { post: twin('message', 202) },
    '/api/interrupt': { post: twin('interrupt', 200) },
    '/api/approvals/{approval}': { post: twin('approval:decide', 200, inPath('approval')) },
    '/api/chat': {
      post: {
        summary: 'The UI message stream of the AI SDK',
        requestBody: { content: { 'application/json': {} } },
        responses: {
          200: { description: 'The answer as it comes', content: { 'text/event-stream': {} } },
          default: refused,
        },
      },
    },
    '/api/chat/{id}/stream': {
      get: get('What is under way in a chat; 204 when there is nothing', task, 'text/event-stream'),
    },
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
  },
  components: {
    securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    schemas: { ...schemas, Error: error },
  },
};

const file = path.join(import.meta.dirname, '..', 'docs', 'openapi.yaml');
fs.writeFileSync(file, stringify(JSON.parse(JSON.stringify(document)), { aliasDuplicateObjects: false, lineWidth: 0 }));
