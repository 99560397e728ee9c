/**
 * Reads a message as Discord's clients do: what is shown, and everything that became a mention, an emoji or a time. Written
 * from the clients' rules, which differ from CommonMark in every second detail, and apart from our own writer.
 */
export interface Read {
  shown: string;
  alive: string[];
  links: { label: string; url: string }[];
}

interface State {
  read: Read;
  quoted: boolean;
  label: boolean;
}

// biome-ignore format: a row is a line
const RULES: {
  match: RegExp;
  atLine?: boolean;
  inLabel?: boolean;
  /** Undefined when it does not apply after all. */
  read: (found: RegExpExecArray, state: State) => string | undefined;
}[] = [
  { match: /^```(?:([a-z0-9_+\-.#]+?)\n)?\n*([^\n][\s\S]*?)\n*```/i, read: ([, , code = '']) => code },
  {
    match: /^( *>>> +[\s\S]*|^ *> [^\n]*(?:\n *> [^\n]*)*\n?)/,
    atLine: true,
    read: ([all], state) => state.quoted ? `${all}`.charAt(0) + content(all.slice(1), state) : content(all.replace(/^ *>>> ?|^ *> ?/gm, ''), { ...state, quoted: true }),
  },
  { match: /^ *(?:#{1,3}|-#) +(?=\S)/, atLine: true, read: () => '' },
  { match: /^ *(?:[-*]|\d+\.) +/, atLine: true, read: ([all]) => all.replace(/[-*]/, '') },
  { match: /^\\([^0-9A-Za-z\s])/, read: ([, mark = '']) => mark },
  { match: /^<(https?:\/\/[^\s>]+)>/, read: ([, url = '']) => url },
  { match: /^https?:\/\/[^\s<]+[^<.,:;"'\]\s]/, read: ([url]) => url },
  {
    match: /^\[((?:\[[^\]]*\]|[^[\]]|\](?=[^[]*\]))*)\]\(\s*<?((?:\([^)]*\)|[^\s\\]|\\.)*?)>?\s*\)/,
    inLabel: false,
    read: ([, label = '', url = ''], state) => {
      // With a URL or a mention in its label it is no link.
      if (!/^https?:\/\//.test(url) || /https?:\/\/|<[@#:]|\p{Extended_Pictographic}/u.test(label)) return undefined;
      state.read.links.push({ label, url });
      return content(label, { ...state, label: true });
    },
  },
  { match: /^(`+)([\s\S]*?[^`])\1(?!`)/, read: ([, , code = '']) => code.replace(/^ (?= *`)|(` *) $/g, '$1') },
  { match: /^\*\*((?:\\[\s\S]|[^\\])+?)\*\*(?!\*)/, read: ([, inner = ''], state) => content(inner, state, false) },
  { match: /^__((?:\\[\s\S]|[^\\])+?)__(?!_)/, read: ([, inner = ''], state) => content(inner, state, false) },
  { match: /^\b_((?:__|\\[\s\S]|[^\\_])+?)_\b|^\*(?=\S)((?:\*\*|\s+(?:[^*\s]|\*\*)|[^\s*])+?)\*(?!\*)/, read: ([, one, two], state) => content(one ?? two ?? '', state, false) },
  { match: /^~~([\s\S]+?)~~(?!_)/, read: ([, inner = ''], state) => content(inner, state, false) },
  { match: /^\|\|([\s\S]+?)\|\|/, read: ([, inner = ''], state) => content(inner, state, false) },
  {
    match: /^(?:<(?:@[!&]?\d+|#\d+|a?:\w+:\d+|t:-?\d+(?::\w)?|\/[^>]+:\d+|id:\w+)>|@everyone|@here)/,
    read: ([all], { read }) => {
      read.alive.push(all);
      return all;
    },
  },
];

/** Nothing that could begin any of the rules. */
const PLAIN = /[^\\`*_~|<@[\nh]+/y;

function content(source: string, state: State, isLine = true): string {
  let out = '';
  let at = 0;
  let lineStart = isLine;
  while (at < source.length) {
    const rest = source.slice(at);
    let used = '';
    PLAIN.lastIndex = at;
    const plain = lineStart ? null : PLAIN.exec(source);
    if (plain !== null) {
      out += plain[0];
      at += plain[0].length;
      continue;
    }
    for (const { match, atLine, inLabel, read } of RULES) {
      if (atLine && !lineStart) continue;
      if (inLabel === false && state.label) continue;
      if (state.label && match.source.startsWith('^\\\\(')) continue;
      const found = match.exec(rest);
      if (found === null || found[0] === '') continue;
      const shown = read(found, state);
      if (shown === undefined) continue;
      out += shown;
      used = found[0];
      break;
    }
    if (used === '') {
      used = source.charAt(at);
      out += used;
    }
    at += used.length;
    lineStart = used.endsWith('\n') || (lineStart && /^[ ]+$/.test(used));
  }
  return out;
}

export function readDiscord(text: string): Read {
  const read: Read = { shown: '', alive: [], links: [] };
  read.shown = content(text, { read, quoted: false, label: false });
  return read;
}
