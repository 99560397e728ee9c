/** Finds a viber's name in its IDENTITY.md, in the forms that people and other programs write. */
import { readBootstrap } from './bootstrap.ts';
import type { Home } from './home.ts';

const MAX_NAME = 30;
/** `- **Name:** Pim` */
const FIELD = /^[ \t>*+-]*\**name\**[ \t]*:[ \t*]*(\S[^\n]*)$/im;
/** `You are Pim, ...` */
const SENTENCE =
  /(?:^|[^\p{L}])(?:you are|you’re|you're|your name is|i am|my name is|du bist|dein name ist|du heißt|ich bin|ich heiße)\s+["“„*_]*(\p{Lu}[\p{L}\p{N}'’-]*(?: \p{Lu}[\p{L}\p{N}'’-]*){0,2})/iu;
const NO_NAME = /^(?:an?|the|ein|eine|der|die|das|my|your|dein|deine)\b/i;

export async function viberName(home: Home, viber: string): Promise<string | undefined> {
  const identity = (await readBootstrap(home, viber)).find(({ tag }) => tag === 'identity');
  return identity && nameIn(identity.text);
}

export function nameIn(identity: string): string | undefined {
  const field = FIELD.exec(identity)?.[1];
  const written = (field ?? SENTENCE.exec(identity)?.[1] ?? '').replace(/["“”„*_`]/g, '').trim();
  // Text in parentheses is a template's placeholder.
  const isName = /^\p{L}/u.test(written) && !NO_NAME.test(written) && written.length <= MAX_NAME;
  return isName && (field !== undefined || /^\p{Lu}/u.test(written)) ? written : undefined;
}
