/** The agent's side of the Agent Client Protocol, version 1. */
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Link } from './link.ts';
import { promptBlocks, promptWords } from './prompt.ts';
import { INVALID_PARAMS, METHOD_NOT_FOUND, NOT_FOUND, RpcError } from './rpc.ts';
import { EditorSession } from './session.ts';

const PROTOCOL_VERSION = 1;

const sessionId = z.string().regex(/^[\w-]{1,64}$/);
const newParams = z.object({ cwd: z.string().min(1).max(4_096) });
const loadParams = newParams.extend({ sessionId });
const promptParams = z.object({ sessionId, prompt: promptBlocks });
const cancelParams = z.object({ sessionId });

export class EditorAgent {
  readonly #version: string;
  readonly #linked: () => Promise<Link>;
  readonly #sessions = new Map<string, EditorSession>();
  #link: Promise<Link> | undefined;

  /** @param linked connects to the gateway when an editor first needs it; an error becomes the answer */
  constructor(version: string, linked: () => Promise<Link>) {
    this.#version = version;
    this.#linked = linked;
  }

  /** Answers a request or a notification. | @throws RpcError */
  async handle(method: string, params: unknown): Promise<object | undefined> {
    switch (method) {
      case 'initialize':
        return this.#initialize();
      case 'authenticate':
        return {};
      case 'session/new':
        return this.#begin(validParams(newParams, params).cwd);
      case 'session/load':
        return this.#load(validParams(loadParams, params));
      case 'session/prompt':
        return this.#say(validParams(promptParams, params));
      case 'session/cancel':
        await this.#sessions.get(validParams(cancelParams, params).sessionId)?.cancel();
        return undefined;
      default:
        throw new RpcError(METHOD_NOT_FOUND, `Method not found: ${method.slice(0, 100)}`);
    }
  }

  #initialize(): object {
    return {
      protocolVersion: PROTOCOL_VERSION,
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, audio: true, embeddedContext: true },
      },
      agentInfo: { name: 'viber', title: 'Viber', version: this.#version },
      authMethods: [],
    };
  }

  async #begin(cwd: string): Promise<object> {
    const link = await this.#connected();
    const { project, note } = await projectFolder(cwd, link);
    const id = randomBytes(12).toString('hex');
    const session = new EditorSession(id, { cwd, project }, link);
    this.#sessions.set(id, session);
    // The editor knows the session only after the answer.
    if (note !== undefined) setImmediate(() => session.say(note));
    return { sessionId: id };
  }

  async #load({ sessionId: id, cwd }: z.infer<typeof loadParams>): Promise<object> {
    const link = await this.#connected();
    const { taskId } = await link.ask({ ask: 'find', session: id });
    if (typeof taskId !== 'string') throw new RpcError(NOT_FOUND, link.messages.text('programs.noSession'));
    const { project } = await projectFolder(cwd, link);
    const session = new EditorSession(id, { cwd, project, taskId }, link);
    await session.replay();
    this.#sessions.set(id, session);
    return {};
  }

  async #say({ sessionId: id, prompt }: z.infer<typeof promptParams>): Promise<object> {
    const session = this.#sessions.get(id);
    const { messages } = await this.#connected();
    if (!session) throw new RpcError(NOT_FOUND, messages.text('programs.noSession'));
    const words = promptWords(prompt);
    if (words.text === '' && words.files.length === 0)
      throw new RpcError(INVALID_PARAMS, messages.text('programs.emptyPrompt'));
    return { stopReason: await session.prompt(words) };
  }

  #connected(): Promise<Link> {
    this.#link ??= this.#linked().then(
      (link) => {
        link.client.onEvent((event) => {
          for (const session of this.#sessions.values()) session.hear(event);
        });
        return link;
      },
      (error: unknown) => {
        this.#link = undefined;
        throw error;
      },
    );
    return this.#link;
  }
}

function validParams<T>(schema: z.ZodType<T>, params: unknown): T {
  const parsed = schema.safeParse(params);
  if (parsed.success) return parsed.data;
  throw new RpcError(INVALID_PARAMS, `Invalid params: ${z.prettifyError(parsed.error)}`);
}

const folder = z.object({ project: z.string().exactOptional(), note: z.string().exactOptional() });

const projectFolder = async (cwd: string, { ask, messages }: Link): Promise<z.infer<typeof folder>> =>
  folder.parse(await ask({ ask: 'folder', cwd, language: messages.language }));
