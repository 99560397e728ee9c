/** Reads who may call a skill, and which tools it wants to use, from the front matter of a published bundle. */

export interface Invocation {
  /** Tools that it may use without asking, as the bundle names them; absent if it doesn't say. */
  allowedTools?: string[];
  forModel: boolean;
  forPeople: boolean;
}

const MAX_TOOLS = 100;

/** @param family metadata written for one kind of agent, which may say it too */
export function readInvocation(front: ReadonlyMap<string, unknown>, family: Record<string, unknown>): Invocation {
  const first = (...keys: string[]) =>
    keys.map((key) => front.get(key) ?? (Object.hasOwn(family, key) ? family[key] : undefined)).find(isSet);
  const tools = readTools(first('allowed-tools', 'allowed_tools', 'allowedTools'));
  return {
    ...(tools ? { allowedTools: tools } : {}),
    forModel:
      switched(first('disable-model-invocation', 'disable_model_invocation', 'disableModelInvocation')) !== true,
    forPeople: switched(first('user-invocable', 'user_invocable', 'userInvocable')) !== false,
  };
}

const isSet = (value: unknown): boolean => value !== undefined && value !== null;

function switched(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  const word = typeof value === 'string' ? value.trim().toLowerCase() : '';
  if (['true', 'yes', 'on'].includes(word)) return true;
  return ['false', 'no', 'off'].includes(word) ? false : undefined;
}

/** Parses `Bash(git:*) Read`, or a list: the names without the parentheses. */
function readTools(value: unknown): string[] | undefined {
  const items = typeof value === 'string' ? value.split(/[\s,]+(?![^(]*\))/) : Array.isArray(value) ? value : undefined;
  const texts = items?.slice(0, MAX_TOOLS).filter((item) => typeof item === 'string');
  const names = texts?.map((item) => item.trim().replace(/\(.*$/s, '')).filter((name) => name !== '');
  return names && [...new Set(names)];
}
