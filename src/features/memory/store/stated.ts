/**
 * Checks whether a person stated a fact completely: in one declarative sentence about themselves or something they
 * name, with nothing left out and nothing added. Words must match one by one, so anything asked, denied, wished,
 * supposed, quoted, past or retracted has an extra word or another order, and is left for a person to accept. Pure.
 */

export interface OwnWords {
  names: readonly string[];
  messages: readonly string[];
}

/** The speaker in their own messages, and the same person in a stored fact. */
const SPEAKER =
  /^(?:i|we|my|our|ich|wir|mein(?:e[nmrs]?)?|unser(?:e[nmrs]?)?|je|mon|ma|mes|yo|mi|mis|我|我的|私は|私の)$/u;
const KEPT_OF = /^(?:user|users|owner|owners|nutzer|nutzers|nutzerin|they|their|he|his|she|her)$/u;
const ARTICLES = new Set(['the', 'a', 'an', 'der', 'die', 'das', 'den', 'dem', 'des']);
/** Openings before a statement that aren't part of it. */
const GREETING =
  /^(?:(?:please|bitte|hi|hello|hallo|hey|ok|okay|well|so|also|fyi|btw|by the way|übrigens|for the record|for your information)[,:]?\s+)+/iu;
/** Requests to remember what follows, word for word. */
const KEEP =
  /^(?:please\s+)?(?:remember|note|save|keep(?:\s+in\s+mind)?|(?:do not|don['’]?t) forget|merke?(?:\s+dir)?|vergiss nicht)(?:[,:]|\s+that|,?\s+dass)?\s+/iu;
const AFTER =
  /[,\s]+(?:(?:and\s+)?(?:please\s+)?(?:remember|note|keep|save)(?:\s+(?:it|this|that))?(?:\s+please)?|(?:bitte\s+)?merke?\s+dir\s+(?:das|es))\s*$/iu;
/** Quotes and code. */
const QUOTED = /^\s*>|^\s*```|^\s*["“”„«»‘'`][\s\S]*["“”«»’'`][.!]?\s*$/mu;
const COURTESY =
  /^(?:hi|hello|hallo|hey|moin|good (?:morning|evening|day)|guten (?:morgen|tag|abend)|thanks|thank you|many thanks|danke|vielen dank|please|bitte|ok|okay|cheers)(?:[\s,]+\p{L}+)?[\s,.!]*$/iu;
/** Signs of hearsay, the past, or mere thoughts. */
const REPORTED =
  /(?<!\p{L})(?:says?|said|writes?|wrote|thinks?|thought|claim(?:s|ed)?|tells?|told|means?|meant|quotes?|quoted|used to|no longer|any ?more|sagt|sagte|schreibt|schrieb|denkt|dachte|meint|meinte|behauptet|behauptete|früher|nicht mehr)(?!\p{L})/iu;
/** Words with which a question refers to the previous sentence. */
const POINTING =
  /(?<!\p{L})(?:that|this|these|those|it|true|right|wrong|correct|das|dies\p{L}*|es|stimmt|richtig|falsch|better|besser)(?!\p{L})/iu;
/** Signs that a statement isn't meant literally. */
const IRONIC = /[😂🤣😹🙃😜😝😛🤪😏😉🤡🤥🙄]|(?<=^|[\s.!])(?:[;:]-?[pP]|;-?\)|xD)(?=$|[\s.!])/u;
/** Words that mean nothing by themselves after "I", and so change the previous sentence: "I am not", "I was". */
const SHORT_OF_MEANING = new Set([...'be not was were do did used would could war sein nicht doch hatte'.split(' ')]);
/** Words that retract a statement. */
const TAKEN_BACK =
  /(?<!\p{L})(?:kidding|joke|joking|wrong|false|untrue|scratch|ignore|wait|actually|lied|lie|correction|remember nothing|merke? dir nichts|scherz|quatsch|falsch|stimmt nicht|gelogen|vergiss)(?!\p{L})|^(?:no|not|nein|nicht|nope|non)(?!\p{L})/iu;
const SAME: Readonly<Record<string, string>> = {
  am: 'be',
  is: 'be',
  are: 'be',
  bin: 'sein',
  ist: 'sein',
  sind: 'sein',
  have: 'have',
  has: 'have',
  habe: 'haben',
  hat: 'haben',
  does: 'do',
  goes: 'go',
};
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;
const STATES = new Set(['be', 'sein', 'have', 'haben']);

/** Returns whether every line of the fact was stated. */
export function isStatedIn(said: OwnWords, fact: string): boolean {
  const names = new Set(said.names.flatMap(tokensOf));
  const facts = fact.split('\n').map((line) => aboutThem(tokensOf(line), names));
  const stated = statementsOf(said.messages);
  return (
    facts.every(({ words }) => words.length > 0) && facts.every((one) => stated.some((each) => statesFact(each, one)))
  );
}

interface Statement {
  words: string[];
  /** Returns whether it begins with the speaker, or with the person the fact is about. */
  isTheirs: boolean;
  isWanted?: boolean;
}

interface Sentence extends Statement {
  text: string;
  isQuestion: boolean;
}

/** Returns the sentences of a run's messages that state something, unless another one changes their meaning. */
function statementsOf(messages: readonly string[]): Statement[] {
  const sentences = messages.flatMap(sentencesOf);
  return sentences.filter(
    ({ isQuestion }, at) =>
      !isQuestion && sentences.every((other, place) => place === at || isBeside(other, place > at)),
  );
}

function sentencesOf(message: string): Sentence[] {
  if (QUOTED.test(message) || IRONIC.test(message)) return [];
  const parts = message.match(/(?:(?![.!?。！？](?:\s|$)|[。！？]|\n\s*\n)[\s\S])+[.!?。！？]*/gu) ?? [];
  return parts.map(readSentence);
}

function readSentence(part: string): Sentence {
  const text = part.trim();
  const bare = text.replace(GREETING, '').replace(/[.!。！]+$/u, '');
  const isWanted = KEEP.test(bare);
  const words = tokensOf(bare.replace(KEEP, '').replace(AFTER, ''));
  const isTheirs = words[0] !== undefined && SPEAKER.test(words[0]);
  return {
    text,
    words: isTheirs ? words.slice(1) : words,
    isTheirs,
    isWanted,
    isQuestion: /[?？]/u.test(text),
  };
}

/**
 * Returns whether a sentence leaves its neighbours' meaning alone: courtesy, another statement, or a later question
 * about something else. A request before a statement ("Translate this.") may make it an example, and a sentence after
 * it ("Said nobody ever.") may reverse it.
 */
function isBeside({ text, words, isTheirs, isWanted, isQuestion }: Sentence, isLater: boolean): boolean {
  if (!/[\p{L}\p{N}]/u.test(text) || COURTESY.test(text)) return true;
  if (TAKEN_BACK.test(text) || REPORTED.test(text)) return false;
  if (isQuestion) return isLater && words.length > 2 && !POINTING.test(text);
  if (isTheirs && words.every((word) => SHORT_OF_MEANING.has(word))) return false;
  if (isWanted || isTheirs) return true;
  if (/^(?:das|die|der)\s+(?:ist|war|sind|waren|stimmt)(?!\p{L})/iu.test(text)) return false;
  return /^(?:the|an?|der|die|das|eine?)\s/iu.test(text) && words.some((word) => STATES.has(word));
}

function aboutThem(tokens: string[], names: ReadonlySet<string>): Statement {
  let from = 0;
  while (from < tokens.length && (KEPT_OF.test(tokens[from] ?? '') || names.has(tokens[from] ?? ''))) from++;
  return { words: tokens.slice(from), isTheirs: from > 0 };
}

/**
 * Returns whether a sentence states a fact. Unless it is about the speaker, it must assert something or be marked for
 * remembering, and the fact must not be about somebody else.
 */
function statesFact(said: Statement, fact: Statement): boolean {
  if (said.words.length !== fact.words.length) return false;
  const states = said.isTheirs || said.isWanted || said.words.slice(1).some((word) => STATES.has(word));
  if (!states || (fact.isTheirs && !said.isTheirs)) return false;
  let inflected = 0;
  const isEach = said.words.every((word, at) => {
    const other = fact.words[at] ?? '';
    if (word === other) return true;
    inflected += 1;
    return said.isTheirs && isInflected(word, other);
  });
  return isEach && inflected <= 1;
}

/**
 * Returns whether the second word is the third person of the first: "prefer" and "prefers", "carry" and "carries",
 * "trinke" and "trinkt".
 */
function isInflected(first: string, third: string): boolean {
  if (third === `${first}s` || third === `${first}es`) return true;
  if (first.endsWith('y') && third === `${first.slice(0, -1)}ies`) return true;
  const stem = first.endsWith('e') && first.length > 3 ? first.slice(0, -1) : undefined;
  return stem !== undefined && (third === `${stem}t` || third === `${stem}et`);
}

/** Matches words, numbers, and the signs that change their meaning: C++ is not C, and -5 € is neither 5 € nor -5 %. */
const TOKEN = /[\p{L}\p{N}]+(?:[.,:/-]\p{N}+)*|[\p{Sm}\p{Sc}#%&@]|(?<![\p{L}\p{N}])-(?=[\p{Sc}\p{N}])/gu;

function tokensOf(text: string): string[] {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[’`´]/g, "'")
    .replace(/(?<=\p{L})n't(?!\p{L})/gu, ' not')
    .replace(/\bi'm\b/g, 'i am')
    .replace(/'s(?!\p{L})/gu, '');
  return [...plain.matchAll(TOKEN)].flatMap(([word]) => {
    if (UNSPACED.test(word)) return [...word];
    return ARTICLES.has(word) ? [] : [Object.hasOwn(SAME, word) ? (SAME[word] ?? word) : word];
  });
}
